/* Appends a string: the length of one, then strcpy_to.c. */
#include "vector16.h"
#include "text.h"
#include "strcpy_to.h"
#include "text_length.h"

PUBLIC char *NAME(strcat)(char *restrict d, const char *restrict s);

OVER_READS char *NAME(strcat)(char *restrict d, const char *restrict s) {
    return NAME(__brawn_strcpy_to)(d + length_before(d), s, d);
}
