/* Comparisons of more than 64 bytes, for memcmp, bcmp and wmemcmp: one object, so that a program pays for it
 * once.
 *
 * Plan: up to eight vectors, in two groups of four of which the second ends where the operands end; beyond,
 * groups aligned to one of the operands. Each group costs one branch. */
#define BRAWN_COMPARE_BODY
#define BRAWN_BODY "compare_body.h"
#include "compare.h"
#include "levels.h"

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
