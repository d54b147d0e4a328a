/* A copy of at most n bytes of a string on the heap, or a null pointer where the heap has no room. */
#include "brawn_string.h"

PUBLIC char *NAME(strndup)(const char *s, size_t n);
size_t NAME(strnlen)(const char *s, size_t n);
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);
void *malloc(size_t bytes);

char *NAME(strndup)(const char *s, size_t n) {
    const size_t length = NAME(strnlen)(s, n);
    char *const d = malloc(length + 1);
    if (d != NULL) {
        NAME(memcpy)(d, s, length);
        d[length] = 0;
    }
    return d;
}
