/* A module that a program opens while it runs. It allocates as soon as it is there. */
#include <stdlib.h>

static void *own;

__attribute__((constructor)) static void opened(void) {
    own = malloc(5000);
}

__attribute__((destructor)) static void closed(void) {
    free(own);
}

void *module_make(size_t size) {
    return malloc(size);
}

void module_drop(void *block) {
    free(realloc(block, 9));
}
