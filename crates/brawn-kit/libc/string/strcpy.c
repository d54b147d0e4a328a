/* Copies a string: strcpy_to.c. */
#include "strcpy_to.h"

PUBLIC char *NAME(strcpy)(char *restrict d, const char *restrict s);

char *NAME(strcpy)(char *restrict d, const char *restrict s) {
    return NAME(__brawn_strcpy_to)(d, s, d);
}
