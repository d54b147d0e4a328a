/* What wcscmp and wcsncmp share: strcompare_small.h. */
#define LANES_WIDE
#include "strcompare_small.h"

OVER_READS COLD int NAME(__brawn_wcscmp_edge)(const lane *a, const lane *b, const lane *end, size_t first) {
    return compare_across(a, b, end, first, false);
}

HIDDEN int NAME(__brawn_wcscmp_to)(const wchar_t *a, const wchar_t *b, size_t n);

OVER_READS int NAME(__brawn_wcscmp_to)(const wchar_t *a, const wchar_t *b, size_t n) {
    return compare_small((const lane *)a, (const lane *)b, n, true, false);
}
