/* memmem: see search.h. A needle of one byte is what memchr finds. */
#define BASELINE_ONLY
#include "two_way.h"

#define BRAWN_BODY "search.h"
#include "levels.h"

#include "search.h"

void *NAME(memchr)(const void *s, int c, size_t n);

PUBLIC void *NAME(memmem)(const void *haystack, size_t n, const void *needle, size_t length);

void *NAME(memmem)(const void *haystack, size_t n, const void *needle, size_t length) {
    if (UNLIKELY(length == 0)) {
        return (void *)haystack;
    }
    if (UNLIKELY(n < length)) {
        return NULL;
    }
    if (length == 1) {
        return NAME(memchr)(haystack, *(const unsigned char *)needle, n);
    }
    return search(haystack, n - length + 1, needle, length);
}
