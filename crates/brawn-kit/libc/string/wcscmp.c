/* Order of two wide strings: wcscmp_to.c. */
#include "brawn_string.h"

#include <wchar.h>

HIDDEN int NAME(__brawn_wcscmp_to)(const wchar_t *a, const wchar_t *b, size_t n);
PUBLIC int NAME(wcscmp)(const wchar_t *a, const wchar_t *b);

int NAME(wcscmp)(const wchar_t *a, const wchar_t *b) {
    return NAME(__brawn_wcscmp_to)(a, b, ~(size_t)0);
}
