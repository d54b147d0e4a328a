/* Order of two strings whatever their letters' case: strcompare.h. */
#define WITHOUT_AVX512
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 1
#define COMPARE_LIMITED 0
#define COMPARE_LONG __brawn_strcasecmp_
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"

PUBLIC NOINLINE int NAME(strcasecmp)(const char *a, const char *b);

OVER_READS int NAME(strcasecmp)(const char *a, const char *b) {
    return compare_small((const lane *)a, (const lane *)b, ~(size_t)0);
}

/* A locale's address; musl's locales all have the same letters in the range of bytes. */
struct __locale_struct;

PUBLIC int NAME(__strcasecmp_l)(const char *a, const char *b, struct __locale_struct *locale);

OVER_READS int NAME(__strcasecmp_l)(const char *a, const char *b, struct __locale_struct *locale) {
    (void)locale;
    return NAME(strcasecmp)(a, b);
}

WEAK_ALIAS(int, strcasecmp_l, __strcasecmp_l, (const char *a, const char *b, struct __locale_struct *locale));
