/* Order of two strings, of at most n bytes, whatever their letters' case: strcompare.h. */
#define WITHOUT_AVX512
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 1
#define COMPARE_LIMITED 1
#define COMPARE_LONG __brawn_strcasecmp_
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"

PUBLIC NOINLINE int NAME(strncasecmp)(const char *a, const char *b, size_t n);

OVER_READS int NAME(strncasecmp)(const char *a, const char *b, size_t n) {
    return compare_small((const lane *)a, (const lane *)b, n);
}

/* A locale's address; musl's locales all have the same letters in the range of bytes. */
struct __locale_struct;

PUBLIC int NAME(__strncasecmp_l)(const char *a, const char *b, size_t n, struct __locale_struct *locale);

OVER_READS int NAME(__strncasecmp_l)(const char *a, const char *b, size_t n, struct __locale_struct *locale) {
    (void)locale;
    return NAME(strncasecmp)(a, b, n);
}

WEAK_ALIAS(int, strncasecmp_l, __strncasecmp_l,
           (const char *a, const char *b, size_t n, struct __locale_struct *locale));
