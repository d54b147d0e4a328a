/* Appends a string: the length of one, then strcopy.h. */
#include "entry.h"
#include "text.h"
#include "text_length.h"
#include "strcopy.h"
#include "strcpy_long.h"

PUBLIC char *NAME(strcat)(char *restrict d, const char *restrict s);

OVER_READS char *NAME(strcat)(char *restrict d, const char *restrict s) {
    return (char *)copy_small((lane *)d + length_before(d), (const lane *)s, (lane *)d);
}
