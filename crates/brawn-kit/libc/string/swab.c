/* swab: swaps the bytes of each pair; a last odd byte is left alone. */
#include "vector16.h"

#include <sys/types.h>

#if defined(__aarch64__)
#define swap_pairs(v) vrev16q_u8(v)
#else
#define swap_pairs(v) _mm_or_si128(_mm_slli_epi16(v, 8), _mm_srli_epi16(v, 8))
#endif

INLINE uint64_t swap_words(uint64_t pairs) {
    const uint64_t low = 0x00ff00ff00ff00ffu;
    return (pairs & low) << 8 | (pairs >> 8 & low);
}

PUBLIC void NAME(swab)(const void *restrict source, void *restrict target, ssize_t n);

void NAME(swab)(const void *restrict source, void *restrict target, ssize_t n) {
    const unsigned char *from = source;
    unsigned char *to = target;
    if (n < 2) {
        return;
    }
    const size_t bytes = (size_t)n & ~(size_t)1;
    if (bytes >= VEC) {
        /* Loaded first, so that swapping in place, which others allow, goes well. */
        const vec last = vec_load(from + bytes - VEC);
        NO_UNROLL
        for (size_t at = 0; at < bytes - VEC; at += VEC) {
            vec_store(to + at, swap_pairs(vec_load(from + at)));
        }
        vec_store(to + bytes - VEC, swap_pairs(last));
    } else if (bytes >= 8) {
        const uint64_t first = load64(from), last = load64(from + bytes - 8);
        store64(to, swap_words(first));
        store64(to + bytes - 8, swap_words(last));
    } else if (bytes >= 4) {
        const uint32_t first = load32(from), last = load32(from + bytes - 4);
        store32(to, (uint32_t)swap_words(first));
        store32(to + bytes - 4, (uint32_t)swap_words(last));
    } else {
        store16(to, (uint16_t)swap_words(load16(from)));
    }
}
