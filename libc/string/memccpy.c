/* memccpy: copies up to and including the first c. It is found first, and then the copy is of a known size.
 */
#define BRAWN_BODY "find.h"
#include "levels.h"
#include "find.h"

#undef LEVEL_SUFFIX
#include "copy.h"

PUBLIC void *NAME(memccpy)(void *restrict target, const void *restrict source, int c, size_t n);

void *NAME(memccpy)(void *restrict target, const void *restrict source, int c, size_t n) {
    const unsigned char *const last = find(source, (unsigned char)c, n);
    if (last) {
        const size_t bytes = (size_t)(last + 1 - (const unsigned char *)source);
        return copy(target, source, bytes, (unsigned char *)target + bytes);
    }
    return copy(target, source, n, NULL);
}
