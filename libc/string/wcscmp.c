/* Order of two wide strings: strcompare.h. */
#define WITHOUT_AVX512
#define LANES_WIDE
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 0
#define COMPARE_LIMITED 0
#define COMPARE_LONG __brawn_wcscmp_
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"

PUBLIC int NAME(wcscmp)(const wchar_t *a, const wchar_t *b);

OVER_READS int NAME(wcscmp)(const wchar_t *a, const wchar_t *b) {
    return compare_small((const lane *)a, (const lane *)b, ~(size_t)0);
}
