/* First place of a byte of a set, or a null pointer: strcspn. */
#include "brawn_string.h"

size_t NAME(strcspn)(const char *s, const char *set);
PUBLIC char *NAME(strpbrk)(const char *s, const char *set);

char *NAME(strpbrk)(const char *s, const char *set) {
    s += NAME(strcspn)(s, set);
    if (*s == 0) {
        BRANCH();
        return NULL;
    }
    return (char *)(uintptr_t)s;
}
