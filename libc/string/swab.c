/* swab: swaps the bytes of each pair; a last odd byte is left alone. */
#include "vector.h"

#include <sys/types.h>

#if defined(__aarch64__)
#define LEVEL_SUFFIX _neon
#define swap_pairs(v) vrev16q_u8(v)
#else
#define LEVEL_SUFFIX _sse2
#define swap_pairs(v) _mm_or_si128(_mm_slli_epi16(v, 8), _mm_srli_epi16(v, 8))
#endif

PUBLIC void NAME(swab)(const void *restrict source, void *restrict target, ssize_t n);

void NAME(swab)(const void *restrict source, void *restrict target, ssize_t n) {
    const unsigned char *from = source;
    unsigned char *to = target;
    if (n < 2) {
        return;
    }
    size_t left = (size_t)n & ~(size_t)1;
    for (; left >= 4 * VEC; left -= 4 * VEC, from += 4 * VEC, to += 4 * VEC) {
        const vec a = vec_load(from), b = vec_load(from + VEC);
        const vec c = vec_load(from + 2 * VEC), d = vec_load(from + 3 * VEC);
        vec_store(to, swap_pairs(a));
        vec_store(to + VEC, swap_pairs(b));
        vec_store(to + 2 * VEC, swap_pairs(c));
        vec_store(to + 3 * VEC, swap_pairs(d));
    }
    for (; left >= VEC; left -= VEC, from += VEC, to += VEC) {
        vec_store(to, swap_pairs(vec_load(from)));
    }
    for (; left; left -= 2, from += 2, to += 2) {
        const uint16_t pair = load16(from);
        store16(to, (uint16_t)(pair << 8 | pair >> 8));
    }
}
