/*
 * Vectors of 16 bytes in the compiler's own terms, so that one source is for SSE2 and for Advanced SIMD, and what both lack.
 */
#ifndef BRAWN_TEXT_VECTORS_H
#define BRAWN_TEXT_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#else
#include <emmintrin.h>
#endif

#define HIDDEN __attribute__((visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef uint8_t v8 __attribute__((vector_size(16)));
typedef uint16_t v16 __attribute__((vector_size(16)));
typedef uint32_t v32 __attribute__((vector_size(16)));
typedef uint64_t v64 __attribute__((vector_size(16)));
typedef int8_t s8 __attribute__((vector_size(16)));
typedef int16_t s16 __attribute__((vector_size(16)));
typedef int32_t s32 __attribute__((vector_size(16)));

/* Of any alignment, aliasing anything. */
typedef uint8_t any_v8 __attribute__((vector_size(16), may_alias, aligned(1)));
typedef uint64_t any_u64 __attribute__((may_alias, aligned(1)));
typedef uint32_t any_u32 __attribute__((may_alias, aligned(1)));
typedef uint16_t any_u16 __attribute__((may_alias, aligned(1)));

INLINE v8 load(const void *p) {
    return *(const any_v8 *)p;
}
INLINE void store(void *p, v8 v) {
    *(any_v8 *)p = v;
}
INLINE void store64(void *p, uint64_t v) {
    *(any_u64 *)p = v;
}

INLINE v8 bytes(uint8_t value) {
    return (v8){value, value, value, value, value, value, value, value,
                value, value, value, value, value, value, value, value};
}
INLINE v16 halves(uint16_t value) {
    return (v16){value, value, value, value, value, value, value, value};
}
INLINE v32 words(uint32_t value) {
    return (v32){value, value, value, value};
}

/* One bit a byte, of masks whose bytes are 0 or 255; on x86 the highest bit of any byte. */
INLINE unsigned bits(v8 v) {
#if defined(__aarch64__)
    const v8 bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t sums = (uint8x16_t)(v & bit);
    sums = vpaddq_u8(sums, sums);
    sums = vpaddq_u8(sums, sums);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
#else
    return (unsigned)_mm_movemask_epi8((__m128i)v);
#endif
}

INLINE bool any(v8 mask) {
#if defined(__aarch64__)
    return vmaxvq_u32((uint32x4_t)mask) != 0;
#else
    return _mm_movemask_epi8((__m128i)mask) != 0;
#endif
}

/* Whether a byte is not ASCII. */
INLINE bool any_high(v8 v) {
#if defined(__aarch64__)
    return vmaxvq_u8((uint8x16_t)v) >= 0x80;
#else
    return _mm_movemask_epi8((__m128i)v) != 0;
#endif
}

#define LOW_BYTES(a, b)                                                                                      \
    __builtin_shufflevector((a), (b), 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_BYTES(a, b)                                                                                     \
    __builtin_shufflevector((a), (b), 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_HALVES(a, b) __builtin_shufflevector((a), (b), 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_HALVES(a, b) __builtin_shufflevector((a), (b), 4, 12, 5, 13, 6, 14, 7, 15)

/* The lower bytes of halves below 256, the lower halves of words. */
INLINE v8 narrow_halves(v16 a, v16 b) {
#if defined(__aarch64__)
    return (v8)vuzp1q_u8((uint8x16_t)a, (uint8x16_t)b);
#else
    return (v8)_mm_packus_epi16((__m128i)a, (__m128i)b);
#endif
}
/* Masks of halves as masks of bytes. */
INLINE v8 narrow_masks(v8 a, v8 b) {
#if defined(__aarch64__)
    return (v8)vuzp1q_u8((uint8x16_t)a, (uint8x16_t)b);
#else
    return (v8)_mm_packs_epi16((__m128i)a, (__m128i)b);
#endif
}
INLINE v16 narrow_words(v32 a, v32 b) {
#if defined(__aarch64__)
    return (v16)vuzp1q_u16((uint16x8_t)a, (uint16x8_t)b);
#else
    return (v16)_mm_packs_epi32((__m128i)((s32)(a << 16) >> 16), (__m128i)((s32)(b << 16) >> 16));
#endif
}

/* The same for words below 0x8000, of which others become halves that are not below 0x7fff. */
INLINE v16 narrow_or_beyond(v32 a, v32 b) {
#if defined(__aarch64__)
    return (v16)vqmovn_high_u32(vqmovn_u32((uint32x4_t)a), (uint32x4_t)b);
#else
    return (v16)_mm_packs_epi32((__m128i)a, (__m128i)b);
#endif
}

INLINE v16 swap_halves(v16 v) {
    return v << 8 | v >> 8;
}
INLINE v32 swap_words(v32 v) {
    const v16 swapped = swap_halves((v16)v);
    return (v32)swapped << 16 | (v32)swapped >> 16;
}

INLINE v8 choose(v8 mask, v8 yes, v8 no) {
    return (yes & mask) | (no & ~mask);
}

#endif
