/* The entry of memset, bzero and wmemset: up to 64 bytes in baseline code, by stores that overlap. Longer
 * blocks are set_long.c's. */
#ifndef BRAWN_SET_H
#define BRAWN_SET_H

#include "brawn_string.h"
#include "vector16.h"

/* Fills n > 64 bytes with the four bytes of `pattern` over and over, and returns target. n is a multiple of
 * 4, or the four bytes are the same. */
DISPATCH_TO_AVX512(void *, set_long, __brawn_set, (unsigned char *target, uint32_t pattern, size_t n),
                   (target, pattern, n))

#define SET_SMALL 64

/* 4 to 64 bytes take the same way, because sizes of memset are seldom predicted: stores of 4, 8 and 16 bytes
 * from both ends, the longer ones only where there is room. The longest come last, as a load may follow. */
INLINE void *set(void *to, uint32_t pattern, size_t n) {
    unsigned char *const target = to;
    if (UNLIKELY(n > SET_SMALL)) {
        return set_long(target, pattern, n);
    }
    if (LIKELY(n >= 4)) {
        ELSEWHERE
        unsigned char *const middle = if_room(target, n, 8, elsewhere);
        unsigned char *const wide = if_room(target, n, 16, elsewhere);
        const size_t inner = (n - 1) / 2 & 16, last = n - inner;
        const vec value = wide_fill(pattern);
        const uint64_t word = load64(&value);
        store32(target, pattern);
        store32(target + n - 4, pattern);
        store64(middle, word);
        store64(middle + n - 8, word);
        vec_store(wide, value);
        vec_store(wide + inner, value);
        vec_store(wide + last - 16, value);
        vec_store(wide + n - 16, value);
        return to;
    }
    if (n) {
        target[0] = (unsigned char)pattern;
        target[n >> 1] = (unsigned char)pattern;
        target[n - 1] = (unsigned char)pattern;
    }
    return to;
}

INLINE void *set_bytes(void *to, unsigned char byte, size_t n) {
    return set(to, byte * 0x01010101u, n);
}

#endif
