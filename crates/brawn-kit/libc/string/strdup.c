/* A copy of a string on the heap, or a null pointer where the heap has no room (errno is malloc's). */
#include "brawn_string.h"

PUBLIC char *NAME(strdup)(const char *s);
size_t NAME(strlen)(const char *s);
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);
void *malloc(size_t bytes);

char *NAME(strdup)(const char *s) {
    const size_t bytes = NAME(strlen)(s) + 1;
    char *const d = malloc(bytes);
    return d != NULL ? NAME(memcpy)(d, s, bytes) : NULL;
}
