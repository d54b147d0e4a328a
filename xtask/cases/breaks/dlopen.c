/* Whether a shared library can be loaded at run time; its path is the argument. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *const module = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (module == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    union {
        void *found;
        int (*call)(void);
    } answer = {dlsym(module, "answer")};
    return answer.found != NULL && answer.call() == 42 ? 0 : 1;
}
