/* Copies a string: strcopy.h. */
#include "entry.h"
#include "text.h"
#include "strcopy.h"
#include "strcpy_long.h"

PUBLIC char *NAME(strcpy)(char *restrict d, const char *restrict s);

OVER_READS char *NAME(strcpy)(char *restrict d, const char *restrict s) {
    return (char *)copy_small((lane *)d, (const lane *)s, (lane *)d);
}
