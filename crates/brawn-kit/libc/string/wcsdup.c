/* A copy of a wide string on the heap, or a null pointer where the heap has no room (errno is malloc's). */
#include "brawn_string.h"

PUBLIC wchar_t *NAME(wcsdup)(const wchar_t *s);
size_t NAME(wcslen)(const wchar_t *s);
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);
void *malloc(size_t bytes);

wchar_t *NAME(wcsdup)(const wchar_t *s) {
    const size_t bytes = (NAME(wcslen)(s) + 1) * sizeof(wchar_t);
    wchar_t *const d = malloc(bytes);
    return d != NULL ? NAME(memcpy)(d, s, bytes) : NULL;
}
