/* First place of a byte of a set, or a null pointer. */
#include "brawn_string.h"

PUBLIC char *NAME(strpbrk)(const char *s, const char *set);
size_t NAME(strcspn)(const char *s, const char *set);

char *NAME(strpbrk)(const char *s, const char *set) {
    s += NAME(strcspn)(s, set);
    return *s ? (char *)(uintptr_t)s : NULL;
}
