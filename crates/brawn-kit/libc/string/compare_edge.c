/* Comparisons of at most 16 bytes that end close to the end of a page, for memcmp, bcmp and wmemcmp. */
#include "compare.h"

/* In words that may overlap. */
COLD int compare_edge(const unsigned char *a, const unsigned char *b, size_t bytes) {
    if (bytes >= 8) {
        const size_t at = load64(a) != load64(b) ? 0 : bytes - 8;
        const uint64_t x = load64(a + at) ^ load64(b + at);
        return x ? difference(a, b, at + (unsigned)__builtin_ctzll(x) / 8, false) : 0;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (a[i] != b[i]) {
            return difference(a, b, i, false);
        }
    }
    return 0;
}
