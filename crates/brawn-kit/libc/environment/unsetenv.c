/* unsetenv: takes every variable of that name away. As musl's, but for how names are compared. */

#include "name.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))
#define BRAWN_EINVAL 22

PUBLIC int unsetenv(const char *name);
PUBLIC int *__errno_location(void);
/* musl's: frees what setenv once made. Not there without setenv. */
HIDDEN extern void __env_rm_add(char *old, char *new) __attribute__((weak));

int unsetenv(const char *text) {
    const size_t length = name_length(text);
    if (!length || text[length]) {
        *__errno_location() = BRAWN_EINVAL;
        return -1;
    }
    char **at = __environ;
    if (!at) {
        return 0;
    }
    const struct name name = name_of(text, length);
    char **to = at;
    for (char *variable; (variable = *at); at++) {
        if (!has_name(variable, &name)) {
            /* Nothing is written while nothing has gone. */
            if (to != at) {
                *to = variable;
            }
            to++;
        } else if (__env_rm_add) {
            __env_rm_add(variable, NULL);
        }
    }
    if (to != at) {
        *to = NULL;
    }
    return 0;
}
