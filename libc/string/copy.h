/* The entry of memcpy, memmove and their kin: up to 64 bytes in baseline code, where all loads come before
 * the first store, so that operands may overlap. Longer copies are copy.c's. */
#ifndef BRAWN_COPY_H
#define BRAWN_COPY_H

#include "brawn_string.h"

/* Copies n > 64 bytes, which may overlap, and returns `result`. */
#define copy_long_sse2 NAME(__brawn_copy_sse2)
#define copy_long_avx2 NAME(__brawn_copy_avx2)
#define copy_long_avx512 NAME(__brawn_copy_avx512)
#define copy_long_neon NAME(__brawn_copy_neon)
#define COPY_LONG(variant)                                                                                   \
    HIDDEN void *variant(unsigned char *target, const unsigned char *source, size_t n, void *result);
COPY_LONG(copy_long_sse2)
COPY_LONG(copy_long_avx2)
COPY_LONG(copy_long_avx512)
COPY_LONG(copy_long_neon)

#define COPY_SMALL 64

#ifndef BRAWN_COPY_BODY

DISPATCHED(void *, copy_long, (unsigned char *target, const unsigned char *source, size_t n, void *result),
           (target, source, n, result))

INLINE void *copy(void *to, const void *from, size_t n, void *result) {
    unsigned char *const target = to;
    const unsigned char *const source = from;
    if (n >= 16) {
        if (n <= 32) {
            const vec first = vec_load(source), last = vec_load(source + n - 16);
            vec_store(target, first);
            vec_store(target + n - 16, last);
            return result;
        }
        if (UNLIKELY(n > COPY_SMALL)) {
            return copy_long(target, source, n, result);
        }
        const vec first = vec_load(source), second = vec_load(source + 16);
        const vec third = vec_load(source + n - 32), last = vec_load(source + n - 16);
        vec_store(target, first);
        vec_store(target + 16, second);
        vec_store(target + n - 32, third);
        vec_store(target + n - 16, last);
        return result;
    }
    if (n >= 8) {
        const uint64_t first = load64(source), last = load64(source + n - 8);
        store64(target, first);
        store64(target + n - 8, last);
        return result;
    }
    if (n >= 4) {
        const uint32_t first = load32(source), last = load32(source + n - 4);
        store32(target, first);
        store32(target + n - 4, last);
        return result;
    }
    if (n > 1) {
        const uint16_t first = load16(source), last = load16(source + n - 2);
        store16(target, first);
        store16(target + n - 2, last);
        return result;
    }
    if (n) {
        *target = *source;
    }
    return result;
}

#endif
#endif
