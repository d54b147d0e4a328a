/* What wcscmp and wcsncmp share: strcompare.h. */
#define WITHOUT_AVX512
#define LANES_WIDE
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 0
#define COMPARE_LIMITED 1
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"

HIDDEN int NAME(__brawn_wcscmp_to)(const wchar_t *a, const wchar_t *b, size_t n);

OVER_READS int NAME(__brawn_wcscmp_to)(const wchar_t *a, const wchar_t *b, size_t n) {
    return compare_small((const lane *)a, (const lane *)b, n);
}
