/*
 * getenv: one pass over the environment that looks at the first byte of each variable, and at the rest of those alone that
 * begin alike. musl's compares by strncmp for each variable.
 */

#include <stddef.h>

extern char **__environ;

char *getenv(const char *name);

char *getenv(const char *name) {
    char **at = __environ;
    const char first = name[0];
    /* An empty name and one that begins with '=' are the names of nothing. */
    if (!at || !first || first == '=') {
        return NULL;
    }
    for (const char *variable; (variable = *at); at++) {
        if (*variable != first) {
            continue;
        }
        size_t i = 1;
        while (name[i] && name[i] == variable[i] && name[i] != '=') {
            i++;
        }
        if (!name[i] && variable[i] == '=') {
            return (char *)variable + i + 1;
        }
    }
    return NULL;
}
