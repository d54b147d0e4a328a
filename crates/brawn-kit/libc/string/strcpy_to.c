/* What strcpy, stpcpy and strcat share: strcopy.h as a function. */
#define COPY_LIMITED 0
#include "text.h"
#include "strcpy_to.h"
#define filled(d, end, result) NULL /* only with a limit */
#define BRAWN_BODY "strcopy_long.h"
#include "levels.h"
#include "strcopy_long.h"

#include "strcopy.h"

INLINE lane *copy_rest(lane *d, const lane *s, lane *result) {
    return (lane *)copy_long((char *)d, (const char *)s, NULL, (char *)result);
}

OVER_READS char *NAME(__brawn_strcpy_to)(char *d, const char *restrict s, char *result) {
    return (char *)copy_small((lane *)d, (const lane *)s, (lane *)result);
}
