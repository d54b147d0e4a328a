/* What strcpy, stpcpy and strcat share: strcopy.h as a function. */
#include "vector16.h"
#include "text.h"
#include "strcpy_to.h"
#include "strcopy.h"

DISPATCH_TO_AVX512(char *, copy_long, __brawn_strcpy,
                   (char *restrict d, const char *restrict s, char *result), (d, s, result))

INLINE lane *copy_rest(lane *d, const lane *s, lane *result) {
    return (lane *)copy_long((char *)d, (const char *)s, (char *)result);
}

#ifdef HAS_START_AVX512
INLINE lane *copy_all_avx512(lane *d, const lane *s, lane *result) {
    return (lane *)copy_long_avx512((char *)d, (const char *)s, (char *)result);
}
#endif

OVER_READS char *NAME(__brawn_strcpy_to)(char *d, const char *restrict s, char *result) {
    return (char *)copy_small((lane *)d, (const lane *)s, (lane *)result);
}
