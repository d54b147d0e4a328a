/* Order of two wide strings, of at most n characters: wcscmp_to.c. */
#include "brawn_string.h"

#include <wchar.h>

HIDDEN int NAME(__brawn_wcscmp_to)(const wchar_t *a, const wchar_t *b, size_t n);
PUBLIC int NAME(wcsncmp)(const wchar_t *a, const wchar_t *b, size_t n);

int NAME(wcsncmp)(const wchar_t *a, const wchar_t *b, size_t n) {
    return NAME(__brawn_wcscmp_to)(a, b, n);
}
