/* The entry of memset, bzero and wmemset: up to 64 bytes in baseline code, by stores that overlap. Longer
 * blocks are set.c's. */
#ifndef BRAWN_SET_H
#define BRAWN_SET_H

#include "brawn_string.h"

/* Fills n > 64 bytes with the four bytes of `pattern` over and over, and returns target. n is a multiple of
 * 4, or the four bytes are the same. */
#define set_long_sse2 NAME(__brawn_set_sse2)
#define set_long_avx2 NAME(__brawn_set_avx2)
#define set_long_avx512 NAME(__brawn_set_avx512)
#define set_long_neon NAME(__brawn_set_neon)
#define SET_LONG(variant) HIDDEN void *variant(unsigned char *target, uint32_t pattern, size_t n);
SET_LONG(set_long_sse2)
SET_LONG(set_long_avx2)
SET_LONG(set_long_avx512)
SET_LONG(set_long_neon)

#define SET_SMALL 64

#ifndef BRAWN_SET_BODY

DISPATCHED(void *, set_long, (unsigned char *target, uint32_t pattern, size_t n), (target, pattern, n))

/* 16 to 64 bytes: four stores, for every size the same. */
INLINE void *set_middle(unsigned char *target, uint32_t pattern, size_t n) {
    const vec value = wide_fill(pattern);
    const size_t inner = n >= 32 ? 16 : 0;
    vec_store(target, value);
    vec_store(target + inner, value);
    vec_store(target + n - 16 - inner, value);
    vec_store(target + n - 16, value);
    return target;
}

INLINE void *set_bytes(void *to, unsigned char byte, size_t n) {
    unsigned char *const target = to;
    const uint32_t pattern = byte * 0x01010101u;
    if (n >= 16) {
        if (UNLIKELY(n > SET_SMALL)) {
            return set_long(target, pattern, n);
        }
        return set_middle(target, pattern, n);
    }
    if (n >= 4) {
        const size_t inner = n >> 3 << 2;
        store32(target, pattern);
        store32(target + inner, pattern);
        store32(target + n - 4 - inner, pattern);
        store32(target + n - 4, pattern);
        return target;
    }
    if (n) {
        target[0] = byte;
        target[n >> 1] = byte;
        target[n - 1] = byte;
    }
    return target;
}

#endif
#endif
