/* The entry of memcpy, memmove and their variants: up to 64 bytes in baseline code, where all loads come
 * before the first store, so that operands may overlap. Longer copies are copy_long.c's. */
#ifndef BRAWN_COPY_H
#define BRAWN_COPY_H

#include "brawn_string.h"
#include "vector16.h"

/* Copies n > 64 bytes, which may overlap, and returns `result`. */
DISPATCH_TO_AVX512(void *, copy_long, __brawn_copy,
                   (unsigned char *target, const unsigned char *source, size_t n, void *result),
                   (target, source, n, result))

#define COPY_SMALL 64

/* Sizes of copies are seldom predicted, so branches are few: 16 to 64 bytes take the same way, and so do 4 to
 * 15, where the words of 8 bytes go elsewhere when there is no room for them. They come last, as a load of 8
 * bytes may follow. */
INLINE void *copy(void *to, const void *from, size_t n, void *result) {
    unsigned char *const target = to;
    const unsigned char *const source = from;
    if (n >= 16) {
        if (UNLIKELY(n > COPY_SMALL)) {
            return copy_long(target, source, n, result);
        }
        const size_t inner = (n - 1) / 2 & 16, behind = n - inner;
        const vec first = vec_load(source), second = vec_load(source + inner);
        const vec third = vec_load(source + behind - 16), last = vec_load(source + n - 16);
        vec_store(target, first);
        vec_store(target + inner, second);
        vec_store(target + behind - 16, third);
        vec_store(target + n - 16, last);
        return result;
    }
#if defined(__aarch64__)
    /* A branch, as in musl's: without one it takes twice the instructions there. */
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
#else
    if (n >= 4) {
        ELSEWHERE
        unsigned char *const to_8 = if_room(target, n, 8, elsewhere);
        /* Not where others store: this load would have to wait for them. */
        const unsigned char *const from_8 = if_room(source, n, 8, elsewhere - 64);
        const uint32_t first = load32(source), last = load32(source + n - 4);
        const uint64_t first_8 = load64(from_8), last_8 = load64(from_8 + n - 8);
        store32(target, first);
        store32(target + n - 4, last);
        store64(to_8, first_8);
        store64(to_8 + n - 8, last_8);
        return result;
    }
#endif
    if (LIKELY(n == 0)) {
        return result;
    }
    if (LIKELY(n > 1)) {
        const uint16_t first = load16(source), last = load16(source + n - 2);
        store16(target, first);
        store16(target + n - 2, last);
        return result;
    }
    *target = *source;
    return result;
}

#endif
