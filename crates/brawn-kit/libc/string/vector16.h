/* Vectors of 16 bytes, which every CPU has: what the entries are written with at every level, and the
 * baseline level of the long parts. vector.h says what the names mean. */
#ifndef BRAWN_VECTOR16_H
#define BRAWN_VECTOR16_H

#include "brawn_string.h"

#if defined(__x86_64__)

/* SSE2. A mask has one bit a byte. The header of all intrinsics takes a compiler 0.2 s: what needs more of them
 * includes it itself. */

#include <emmintrin.h>

typedef __m128i vec;
typedef __m128i vec_test;
typedef uint32_t vec_mask;

INLINE vec vec_load(const void *p) {
    return _mm_loadu_si128((const __m128i_u *)p);
}
INLINE vec vec_load_aligned(const void *p) {
    return _mm_load_si128((const __m128i *)p);
}
INLINE void vec_store(void *p, vec a) {
    _mm_storeu_si128((__m128i_u *)p, a);
}
INLINE void vec_store_aligned(void *p, vec a) {
    _mm_store_si128((__m128i *)p, a);
}
INLINE vec vec_fill(unsigned char byte) {
    return _mm_set1_epi8((char)byte);
}
INLINE vec vec_zero(void) {
    return _mm_setzero_si128();
}
INLINE vec vec_min(vec a, vec b) {
    return _mm_min_epu8(a, b);
}
INLINE vec vec_and(vec a, vec b) {
    return _mm_and_si128(a, b);
}
INLINE vec vec_or(vec a, vec b) {
    return _mm_or_si128(a, b);
}
INLINE vec vec_xor(vec a, vec b) {
    return _mm_xor_si128(a, b);
}
INLINE vec_test vec_equal(vec a, vec b) {
    return _mm_cmpeq_epi8(a, b);
}
INLINE vec_test vec_unequal(vec a, vec b) {
    return _mm_xor_si128(_mm_cmpeq_epi8(a, b), _mm_set1_epi8(-1));
}
INLINE vec_test vec_null(vec a) {
    return _mm_cmpeq_epi8(a, _mm_setzero_si128());
}
INLINE vec_test test_or(vec_test a, vec_test b) {
    return _mm_or_si128(a, b);
}
INLINE vec_test test_and(vec_test a, vec_test b) {
    return _mm_and_si128(a, b);
}
INLINE vec_mask vec_mask_of(vec_test a) {
    return (uint32_t)_mm_movemask_epi8(a);
}
INLINE bool test_any(vec_test a) {
    return _mm_movemask_epi8(a) != 0;
}
INLINE bool test_all(vec_test a) {
    int mask = _mm_movemask_epi8(a);
    /* Or clang turns the vector around and asks whether nothing is set. */
    __asm__("" : "+r"(mask));
    return mask == 0xffff;
}
INLINE vec_test test_not(vec_test a) {
    return _mm_xor_si128(a, _mm_set1_epi8(-1));
}
INLINE size_t mask_first(vec_mask mask) {
    return (unsigned)__builtin_ctz(mask);
}
INLINE size_t mask_last(vec_mask mask) {
    return 31u ^ (unsigned)__builtin_clz(mask);
}
INLINE vec_mask mask_after(vec_mask mask, size_t n) {
    return mask >> n;
}
INLINE vec_mask mask_before(vec_mask mask, size_t n) {
    return mask & ((1u << n) - 1);
}

INLINE vec_mask mask_drop(vec_mask mask) {
    return mask & (mask - 1);
}
INLINE vec vec_keep(vec_test test, vec a) {
    /* Or clang asks "not equal, or null?" instead, which takes an instruction more for every vector. */
    __asm__("" : "+x"(test));
    return vec_and(test, a);
}
INLINE vec vec_fold_xor(vec a, vec b) {
    /* Moved so that 'a' to 'z' are the greatest of the signed bytes. */
    const vec lower = _mm_or_si128(a, _mm_set1_epi8(0x20));
    const vec letter = _mm_cmpgt_epi8(_mm_add_epi8(lower, _mm_set1_epi8(127 - 'z')), _mm_set1_epi8(127 - 26));
    return _mm_andnot_si128(_mm_and_si128(letter, _mm_set1_epi8(0x20)), _mm_xor_si128(a, b));
}

/* Wide characters: four bits of the byte mask a lane. */

typedef __m128i wide_test;
typedef uint32_t wide_mask;

INLINE vec wide_fill(uint32_t character) {
    return _mm_set1_epi32((int)character);
}
/* SSE2 has no minimum of 32-bit lanes: through a signed comparison of values moved by half the range. */
INLINE vec wide_min(vec a, vec b) {
    const vec half = _mm_set1_epi32(INT32_MIN);
    const vec greater = _mm_cmpgt_epi32(_mm_xor_si128(a, half), _mm_xor_si128(b, half));
    return _mm_or_si128(_mm_and_si128(greater, b), _mm_andnot_si128(greater, a));
}
INLINE wide_test wide_equal(vec a, vec b) {
    return _mm_cmpeq_epi32(a, b);
}
INLINE wide_test wide_unequal(vec a, vec b) {
    return _mm_xor_si128(_mm_cmpeq_epi32(a, b), _mm_set1_epi8(-1));
}
INLINE wide_test wide_null(vec a) {
    return _mm_cmpeq_epi32(a, _mm_setzero_si128());
}
INLINE wide_test wide_test_or(wide_test a, wide_test b) {
    return _mm_or_si128(a, b);
}
INLINE bool wide_test_any(wide_test a) {
    return _mm_movemask_epi8(a) != 0;
}
INLINE wide_mask wide_mask_of(wide_test a) {
    return (uint32_t)_mm_movemask_epi8(a);
}
INLINE size_t wide_mask_first(wide_mask mask) {
    return (unsigned)__builtin_ctz(mask) >> 2;
}
INLINE size_t wide_mask_last(wide_mask mask) {
    return (31u ^ (unsigned)__builtin_clz(mask)) >> 2;
}
INLINE wide_mask wide_mask_after(wide_mask mask, size_t n) {
    return mask >> (4 * n);
}

INLINE vec wide_keep(wide_test test, vec a) {
    return vec_keep(test, a);
}

/* For blocks that may be read again at once. */

typedef __m128i short_vec;

INLINE short_vec short_load(const void *p) {
    return _mm_loadu_si128((const __m128i_u *)p);
}
INLINE void short_store(void *p, short_vec a) {
    _mm_storeu_si128((__m128i_u *)p, a);
}

/* Four tests as one mask, FOUR_BITS or WIDE_FOUR_BITS of it a lane: one branch decides about all of 64 bytes,
 * so that strings of different lengths below that cost no misprediction. */

#define FOUR_BITS 1
#define WIDE_FOUR_BITS 1

INLINE uint64_t mask_of_four(vec_test a, vec_test b, vec_test c, vec_test d) {
    const uint64_t low = (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;
    const uint64_t high = (uint32_t)_mm_movemask_epi8(c) | (uint32_t)_mm_movemask_epi8(d) << 16;
    return low | high << 32;
}
INLINE uint64_t wide_mask_of_four(wide_test a, wide_test b, wide_test c, wide_test d) {
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
}
/* Whether any of four tests has a lane that is set: what is longer needs no more, and pays for one mask
 * instead of four. Those of wide lanes make only one mask anyway. */
INLINE bool any_of_four(vec_test a, vec_test b, vec_test c, vec_test d) {
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) != 0;
}

#else

/* Advanced SIMD. There is no movemask: narrowing each pair of bytes by four bits gives a mask with four bits
 * a byte. */

#include <arm_neon.h>

typedef uint8x16_t vec;
typedef uint8x16_t vec_test;
typedef uint64_t vec_mask;

INLINE vec vec_load(const void *p) {
    return vld1q_u8(p);
}
INLINE vec vec_load_aligned(const void *p) {
    return vld1q_u8(p);
}
INLINE void vec_store(void *p, vec a) {
    vst1q_u8(p, a);
}
INLINE void vec_store_aligned(void *p, vec a) {
    vst1q_u8(p, a);
}
INLINE vec vec_fill(unsigned char byte) {
    return vdupq_n_u8(byte);
}
INLINE vec vec_zero(void) {
    return vdupq_n_u8(0);
}
INLINE vec vec_min(vec a, vec b) {
    return vminq_u8(a, b);
}
INLINE vec vec_and(vec a, vec b) {
    return vandq_u8(a, b);
}
INLINE vec vec_or(vec a, vec b) {
    return vorrq_u8(a, b);
}
INLINE vec vec_xor(vec a, vec b) {
    return veorq_u8(a, b);
}
INLINE vec_test vec_equal(vec a, vec b) {
    return vceqq_u8(a, b);
}
INLINE vec_test vec_unequal(vec a, vec b) {
    return vmvnq_u8(vceqq_u8(a, b));
}
INLINE vec_test vec_null(vec a) {
    return vceqzq_u8(a);
}
INLINE vec_test test_or(vec_test a, vec_test b) {
    return vorrq_u8(a, b);
}
INLINE vec_test test_and(vec_test a, vec_test b) {
    return vandq_u8(a, b);
}
INLINE vec_mask vec_mask_of(vec_test a) {
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(a), 4)), 0);
}
INLINE bool test_any(vec_test a) {
    return vec_mask_of(a) != 0;
}
INLINE bool test_all(vec_test a) {
    return vec_mask_of(a) == UINT64_MAX;
}
INLINE vec_test test_not(vec_test a) {
    return vmvnq_u8(a);
}
INLINE size_t mask_first(vec_mask mask) {
    return (unsigned)__builtin_ctzll(mask) >> 2;
}
INLINE size_t mask_last(vec_mask mask) {
    return (63u ^ (unsigned)__builtin_clzll(mask)) >> 2;
}
INLINE vec_mask mask_after(vec_mask mask, size_t n) {
    return mask >> (4 * n);
}
INLINE vec_mask mask_before(vec_mask mask, size_t n) {
    return n >= 16 ? mask : mask & ((UINT64_C(1) << (4 * n)) - 1);
}

INLINE vec_mask mask_drop(vec_mask mask) {
    return mask & ~(UINT64_C(15) << ((unsigned)__builtin_ctzll(mask) & ~3u));
}
INLINE vec vec_keep(vec_test test, vec a) {
    return vec_and(test, a);
}
INLINE vec vec_fold_xor(vec a, vec b) {
    /* They differ by nothing, or by that bit alone where a is a letter. */
    const uint8x16_t lower = vorrq_u8(a, vdupq_n_u8(0x20));
    const uint8x16_t letter = vcltq_u8(vsubq_u8(lower, vdupq_n_u8('a')), vdupq_n_u8(26));
    return vbicq_u8(veorq_u8(a, b), vandq_u8(letter, vdupq_n_u8(0x20)));
}

/* Wide characters: sixteen bits of the mask a lane. */

typedef uint8x16_t wide_test;
typedef uint64_t wide_mask;

INLINE vec wide_fill(uint32_t character) {
    return vreinterpretq_u8_u32(vdupq_n_u32(character));
}
INLINE vec wide_min(vec a, vec b) {
    return vreinterpretq_u8_u32(vminq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}
INLINE wide_test wide_equal(vec a, vec b) {
    return vreinterpretq_u8_u32(vceqq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}
INLINE wide_test wide_unequal(vec a, vec b) {
    return vmvnq_u8(vreinterpretq_u8_u32(vceqq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b))));
}
INLINE wide_test wide_null(vec a) {
    return vreinterpretq_u8_u32(vceqzq_u32(vreinterpretq_u32_u8(a)));
}
INLINE wide_test wide_test_or(wide_test a, wide_test b) {
    return vorrq_u8(a, b);
}
INLINE bool wide_test_any(wide_test a) {
    return vec_mask_of(a) != 0;
}
INLINE wide_mask wide_mask_of(wide_test a) {
    return vec_mask_of(a);
}
INLINE size_t wide_mask_first(wide_mask mask) {
    return (unsigned)__builtin_ctzll(mask) >> 4;
}
INLINE size_t wide_mask_last(wide_mask mask) {
    return (63u ^ (unsigned)__builtin_clzll(mask)) >> 4;
}
INLINE wide_mask wide_mask_after(wide_mask mask, size_t n) {
    return mask >> (16 * n);
}

INLINE vec wide_keep(wide_test test, vec a) {
    return vec_keep(test, a);
}

/* For blocks that may be read again at once. */

typedef uint8x16_t short_vec;

INLINE short_vec short_load(const void *p) {
    return vld1q_u8(p);
}
INLINE void short_store(void *p, short_vec a) {
    vst1q_u8(p, a);
}

/* Four tests as one mask: as above. */

#define FOUR_BITS 1
#define WIDE_FOUR_BITS 4

INLINE uint64_t mask_of_four(vec_test a, vec_test b, vec_test c, vec_test d) {
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t low = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
    const uint8x16_t high = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
    const uint8x16_t all = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}
INLINE uint64_t wide_mask_of_four(wide_test a, wide_test b, wide_test c, wide_test d) {
    const uint16x8_t low = vuzp1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
    const uint16x8_t high = vuzp1q_u16(vreinterpretq_u16_u8(c), vreinterpretq_u16_u8(d));
    return vec_mask_of(vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high)));
}
INLINE bool any_of_four(vec_test a, vec_test b, vec_test c, vec_test d) {
    return mask_of_four(a, b, c, d) != 0;
}

#endif

#define VEC sizeof(vec)
#define WIDE (VEC / 4)

INLINE bool wide_any_of_four(wide_test a, wide_test b, wide_test c, wide_test d) {
    return wide_mask_of_four(a, b, c, d) != 0;
}

/* The index of the first or last lane of such a mask, which must not be 0. */
INLINE size_t first_of_four(uint64_t mask) {
    return (unsigned)__builtin_ctzll(mask) / FOUR_BITS;
}
INLINE size_t wide_first_of_four(uint64_t mask) {
    return (unsigned)__builtin_ctzll(mask) / WIDE_FOUR_BITS;
}
INLINE size_t last_of_four(uint64_t mask) {
    return (63u ^ (unsigned)__builtin_clzll(mask)) / FOUR_BITS;
}
INLINE size_t wide_last_of_four(uint64_t mask) {
    return (63u ^ (unsigned)__builtin_clzll(mask)) / WIDE_FOUR_BITS;
}

#endif
