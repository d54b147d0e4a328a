/* Copies at most n bytes of a string and fills up with nulls: strncpy_to.c. */
#include "strcpy_to.h"

PUBLIC char *NAME(strncpy)(char *restrict d, const char *restrict s, size_t n);

char *NAME(strncpy)(char *restrict d, const char *restrict s, size_t n) {
    return NAME(__brawn_strncpy_to)(d, s, n, d);
}
