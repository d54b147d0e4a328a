/* First place of a byte of a set, or a null pointer: strset.h. */
#include "entry.h"
#include "strset.h"

PUBLIC char *NAME(strpbrk)(const char *s, const char *set);

OVER_READS char *NAME(strpbrk)(const char *s, const char *set) {
    s += span(s, set, false);
    if (*s == 0) {
        BRANCH();
        return NULL;
    }
    return (char *)(uintptr_t)s;
}
