/* Appends a string: the length of one, then strcopy.h. */
#include "entry.h"
#include "text.h"
#include "text_length.h"

HIDDEN char *NAME(__brawn_strcpy_to)(char *d, const char *s, char *result);

PUBLIC char *NAME(strcat)(char *restrict d, const char *restrict s);

OVER_READS char *NAME(strcat)(char *restrict d, const char *restrict s) {
    return NAME(__brawn_strcpy_to)(d + length_before(d), s, d);
}
