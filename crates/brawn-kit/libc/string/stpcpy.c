/* Copies a string and returns where the copy ends: strcpy_to.c. */
#include "strcpy_to.h"

PUBLIC char *NAME(__stpcpy)(char *restrict d, const char *restrict s);

char *NAME(__stpcpy)(char *restrict d, const char *restrict s) {
    /* The shortest answers by branches: who waits for them goes on at once where they are predicted. */
    if ((d[0] = s[0]) == 0) {
        BRANCH();
        return d;
    }
    if (s[1] == 0) {
        BRANCH();
        d[1] = 0;
        return d + 1;
    }
    return NAME(__brawn_strcpy_to)(d, s, NULL);
}

WEAK_ALIAS(char *, stpcpy, __stpcpy, (char *restrict d, const char *restrict s));
