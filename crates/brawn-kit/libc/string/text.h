/* What the functions on null-terminated strings, of bytes or of wide characters, share beyond characters.h. */
#ifndef BRAWN_TEXT_H
#define BRAWN_TEXT_H

#include "brawn_string.h"
#include "vector.h"
#include "characters.h"

#include <wchar.h>

#ifdef LANES_WIDE
#define TEXT_WIDE 1
#define TEXT_TYPE wchar_t
#else
#define TEXT_WIDE 0
#define TEXT_TYPE char
#endif

/* The bodies for strings have helpers that entry and long part share: levels.h. */
#define ENTRY_SHARES_HELPERS
#define MAYBE_UNUSED __attribute__((unused))

/* Entries finish strings of up to this many bytes in baseline code. */
#define SMALL_BYTES ((size_t)64)
#define SMALL_LANES (SMALL_BYTES / sizeof(lane))

/* The mask without its lowest lane. */
#if defined(__aarch64__)
INLINE uint64_t mask_drop_neon(uint64_t mask) {
    return mask & ~(UINT64_C(15) << ((unsigned)__builtin_ctzll(mask) & ~3u));
}
#define mask_drop(mask) mask_drop_neon(mask)
#else
#define mask_drop(mask) ((mask) & ((mask) - 1))
#endif

INLINE const lane *align_down(const lane *p, size_t bytes) {
    return (const lane *)((uintptr_t)p & ~(uintptr_t)(bytes - 1));
}

/* Bytes from p to the end of its page: 1 to PAGE_BYTES. */
INLINE size_t page_room(const void *p) {
    return PAGE_BYTES - ((uintptr_t)p & (PAGE_BYTES - 1));
}

/* p + n, or the last place that an object can end at where that wraps around. */
INLINE const lane *limit_of(const lane *p, size_t n) {
    const size_t most = ~(uintptr_t)p / sizeof(lane);
    return (const lane *)((uintptr_t)p + (n > most ? most : n) * sizeof(lane));
}

/* v in the lanes that the test names, null in the others. The barrier keeps clang from asking "not equal, or
 * null?" instead, which takes an instruction more for every vector. */
#if defined(__aarch64__)
INLINE vec_neon keep_neon(vec_test_neon test, vec_neon v) {
    return vec_and_neon(test, v);
}
#else
INLINE vec_sse2 keep_sse2(vec_test_sse2 test, vec_sse2 v) {
    __asm__("" : "+x"(test));
    return vec_and_sse2(test, v);
}
TARGET_PUSH(AVX2_FEATURES)
INLINE vec_avx2 keep_avx2(vec_test_avx2 test, vec_avx2 v) {
    __asm__("" : "+x"(test));
    return vec_and_avx2(test, v);
}
TARGET_POP
TARGET_PUSH(AVX512_FEATURES)
#ifdef LANES_WIDE
INLINE vec_avx512 keep_avx512(wide_test_avx512 test, vec_avx512 v) {
    return _mm512_maskz_mov_epi32(test, v);
}
#else
INLINE vec_avx512 keep_avx512(vec_test_avx512 test, vec_avx512 v) {
    return _mm512_maskz_mov_epi8(test, v);
}
#endif

/* Whether one of four vectors has a null or the wanted lane: minimums that are null where one of them is the
 * wanted lane, by masks that come out of comparisons and go into the next instruction, so that only one test
 * is left. */
#ifdef LANES_WIDE
#define UNEQUAL_512 _mm512_cmpneq_epi32_mask
#define MIN_512 _mm512_maskz_min_epu32
#define TEST_512 _mm512_mask_test_epi32_mask
#define ALL_512 0xffffu
#else
#define UNEQUAL_512 _mm512_cmpneq_epi8_mask
#define MIN_512 _mm512_maskz_min_epu8
#define TEST_512 _mm512_mask_test_epi8_mask
#define ALL_512 ~UINT64_C(0)
#endif
INLINE bool four_have_avx512(vec_avx512 a, vec_avx512 b, vec_avx512 c, vec_avx512 d, vec_avx512 wanted) {
    const vec_avx512 ab = MIN_512(UNEQUAL_512(a, wanted), a, b);
    const vec_avx512 cd = MIN_512(UNEQUAL_512(c, wanted), c, d);
    const vec_avx512 all = MIN_512(UNEQUAL_512(b, wanted), ab, cd);
    return TEST_512(UNEQUAL_512(d, wanted), all, all) != ALL_512;
}
TARGET_POP
/* The others gain nothing by that and never ask. */
#define four_have_sse2(a, b, c, d, wanted) false
#define four_have_avx2(a, b, c, d, wanted) false
#endif

#if defined(__aarch64__)
typedef uint8x16_t entry_test;
#else
typedef __m128i entry_test;
#endif

/* Four tests of 16 bytes each as one mask, FOUR_STEP bits a lane: one branch decides about all of
 * SMALL_BYTES, so that strings of different lengths below that cost no misprediction. */
#if defined(__aarch64__)
#ifdef LANES_WIDE
#define FOUR_STEP 4
INLINE uint64_t mask_of_four(entry_test a, entry_test b, entry_test c, entry_test d) {
    const uint16x8_t low = vuzp1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
    const uint16x8_t high = vuzp1q_u16(vreinterpretq_u16_u8(c), vreinterpretq_u16_u8(d));
    return vec_mask_of_neon(vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high)));
}
#else
#define FOUR_STEP 1
INLINE uint64_t mask_of_four(entry_test a, entry_test b, entry_test c, entry_test d) {
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t low = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
    const uint8x16_t high = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
    const uint8x16_t all = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}
#endif
#else
#define FOUR_STEP 1
#ifdef LANES_WIDE
INLINE uint64_t mask_of_four(entry_test a, entry_test b, entry_test c, entry_test d) {
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
}
#else
INLINE uint64_t mask_of_four(entry_test a, entry_test b, entry_test c, entry_test d) {
    const uint64_t low = (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;
    const uint64_t high = (uint32_t)_mm_movemask_epi8(c) | (uint32_t)_mm_movemask_epi8(d) << 16;
    return low | high << 32;
}
#endif
#endif

/* Whether any of four tests has a lane that is set: what is longer than SMALL_BYTES needs no more, and pays
 * for one mask instead of four. Those of wide lanes make only one mask anyway. */
INLINE bool any_of_four(entry_test a, entry_test b, entry_test c, entry_test d) {
#if defined(__aarch64__) || defined(LANES_WIDE)
    return mask_of_four(a, b, c, d) != 0;
#else
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) != 0;
#endif
}

/* The index of the first lane of such a mask, which must not be 0. */
INLINE size_t first_of_four(uint64_t mask) {
    return (unsigned)__builtin_ctzll(mask) / FOUR_STEP;
}

/* The index of the last lane of such a mask, which must not be 0. */
INLINE size_t last_of_four(uint64_t mask) {
    return (63u ^ (unsigned)__builtin_clzll(mask)) / FOUR_STEP;
}

#endif
