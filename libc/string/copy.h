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

/* Few branches, because sizes are hard to predict: four overlapping loads serve 16 to 64 bytes, two 8 to 15
 * and 4 to 7, three 1 to 3. */
INLINE void *copy(void *to, const void *from, size_t n, void *result) {
    unsigned char *const target = to;
    const unsigned char *const source = from;
    if (n >= 16) {
        if (UNLIKELY(n > COPY_SMALL)) {
            return copy_long(target, source, n, result);
        }
        const size_t inner = n > 32 ? 16 : 0;
        const vec first = vec_load(source), second = vec_load(source + inner);
        const vec third = vec_load(source + n - 16 - inner), last = vec_load(source + n - 16);
        vec_store(target, first);
        vec_store(target + inner, second);
        vec_store(target + n - 16 - inner, third);
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
    if (n) {
        const unsigned char first = source[0], middle = source[n >> 1], last = source[n - 1];
        target[0] = first;
        target[n >> 1] = middle;
        target[n - 1] = last;
    }
    return result;
}

#endif
#endif
