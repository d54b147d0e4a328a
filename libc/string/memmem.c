/* memmem: see search.h. A needle of one byte is what find.h finds. */
#include "two_way.h"

#define BRAWN_BODY "search.h"
#include "levels.h"

#include "find.h"
#include "search.h"

PUBLIC void *NAME(memmem)(const void *haystack, size_t n, const void *needle, size_t length);

void *NAME(memmem)(const void *haystack, size_t n, const void *needle, size_t length) {
    if (UNLIKELY(length == 0)) {
        return (void *)haystack;
    }
    if (UNLIKELY(n < length)) {
        return NULL;
    }
    if (length == 1) {
        return find(haystack, *(const unsigned char *)needle, n);
    }
    return search(haystack, n - length + 1, needle, length);
}
