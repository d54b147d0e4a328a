/*
 * getenv: one pass over the environment that looks at two bytes of each variable, and at the rest of those alone that
 * begin alike. musl's counts the name's length and compares by strncmp for each variable.
 */

#include <stddef.h>
#include <stdint.h>

extern char **__environ;

char *getenv(const char *name);

typedef uint16_t pair __attribute__((may_alias, aligned(1)));

/* The first two bytes of a string that has at least one. The second may be the NUL. */
static inline uint16_t head(const char *s) {
    return *(const pair *)s;
}

char *getenv(const char *name) {
    char **at = __environ;
    /* An empty name and one with a '=' in it are the names of nothing. */
    if (!at || !name[0] || name[0] == '=') {
        return NULL;
    }
    if (!name[1]) {
        for (; *at; at++) {
            if ((*at)[0] == name[0] && (*at)[1] == '=') {
                return *at + 2;
            }
        }
        return NULL;
    }
    if (name[1] == '=') {
        return NULL;
    }
    const uint16_t wanted = head(name);
    for (; *at; at++) {
        const char *variable = *at;
        /* A variable may be empty: then its second byte is another's. */
        if (!variable[0] || head(variable) != wanted) {
            continue;
        }
        size_t i = 2;
        while (name[i] && name[i] == variable[i] && name[i] != '=') {
            i++;
        }
        if (!name[i] && variable[i] == '=') {
            return (char *)variable + i + 1;
        }
    }
    return NULL;
}
