/* putenv, and what setenv ends with. As musl's, but for how names are compared. */

#include "name.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))

PUBLIC int putenv(char *variable);
PUBLIC int unsetenv(const char *name);
HIDDEN int __putenv(char *variable, size_t length, char *to_free);
/* musl's: frees what setenv once made for the old variable, and remembers the new one. Not there without setenv. */
HIDDEN extern void __env_rm_add(char *old, char *new) __attribute__((weak));

PUBLIC void *malloc(size_t size);
PUBLIC void *realloc(void *block, size_t size);
PUBLIC void free(void *block);
PUBLIC void *memcpy(void *to, const void *from, size_t size);

static __attribute__((noinline)) int put(char *variable, size_t length, char *to_free) {
    const struct name name = name_of(variable, length);
    size_t count = 0;
    if (__environ) {
        for (char *other; (other = __environ[count]); count++) {
            if (has_name(other, &name)) {
                __environ[count] = variable;
                if (__env_rm_add) {
                    __env_rm_add(other, to_free);
                }
                return 0;
            }
        }
    }
    static char **own;
    char **larger;
    if (__environ == own) {
        larger = realloc(own, sizeof *larger * (count + 2));
    } else if ((larger = malloc(sizeof *larger * (count + 2)))) {
        if (count) {
            memcpy(larger, __environ, sizeof *larger * count);
        }
        free(own);
    }
    if (!larger) {
        free(to_free);
        return -1;
    }
    larger[count] = variable;
    larger[count + 1] = NULL;
    __environ = own = larger;
    if (to_free && __env_rm_add) {
        __env_rm_add(NULL, to_free);
    }
    return 0;
}

int __putenv(char *variable, size_t length, char *to_free) {
    return put(variable, length, to_free);
}

int putenv(char *variable) {
    const size_t length = name_length(variable);
    if (!length || !variable[length]) {
        return unsetenv(variable);
    }
    return put(variable, length, NULL);
}
