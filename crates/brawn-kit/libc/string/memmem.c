/* memmem: see search.h. A needle of one byte is what memchr finds. */
#include "entry.h"
#include "text.h"
#include "two_way.h"

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
    return LEVEL_NAME(search)(haystack, n - length + 1, needle, length);
}
