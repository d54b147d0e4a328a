/* memccpy: copies up to and including the first c. It is found first, and then the copy is of a known size.
 */
#include "entry.h"

#include "copy.h"
#include "find.h"

PUBLIC void *NAME(memccpy)(void *restrict target, const void *restrict source, int c, size_t n);

OVER_READS void *NAME(memccpy)(void *restrict target, const void *restrict source, int c, size_t n) {
    const unsigned char *const last = find(source, (unsigned char)c, n);
    if (last) {
        n = (size_t)(last + 1 - (const unsigned char *)source);
    }
    return copy(target, source, n, last ? (unsigned char *)target + n : NULL);
}
