/* AVX2: 32 bytes. A mask has one bit a byte. vector.h includes this where the compiler has it. */
#ifndef BRAWN_VECTOR_AVX2_H
#define BRAWN_VECTOR_AVX2_H

#include "brawn_string.h"

#include <immintrin.h>

typedef __m256i vec;
typedef __m256i vec_test;
typedef uint32_t vec_mask;

INLINE vec vec_load(const void *p) {
    return _mm256_loadu_si256((const __m256i_u *)p);
}
INLINE vec vec_load_aligned(const void *p) {
    return _mm256_load_si256((const __m256i *)p);
}
INLINE void vec_store(void *p, vec a) {
    _mm256_storeu_si256((__m256i_u *)p, a);
}
INLINE void vec_store_aligned(void *p, vec a) {
    _mm256_store_si256((__m256i *)p, a);
}
INLINE vec vec_fill(unsigned char byte) {
    return _mm256_set1_epi8((char)byte);
}
INLINE vec vec_zero(void) {
    return _mm256_setzero_si256();
}
INLINE vec vec_min(vec a, vec b) {
    return _mm256_min_epu8(a, b);
}
INLINE vec vec_and(vec a, vec b) {
    return _mm256_and_si256(a, b);
}
INLINE vec vec_or(vec a, vec b) {
    return _mm256_or_si256(a, b);
}
INLINE vec vec_xor(vec a, vec b) {
    return _mm256_xor_si256(a, b);
}
INLINE vec_test vec_equal(vec a, vec b) {
    return _mm256_cmpeq_epi8(a, b);
}
INLINE vec_test vec_unequal(vec a, vec b) {
    return _mm256_xor_si256(_mm256_cmpeq_epi8(a, b), _mm256_set1_epi8(-1));
}
INLINE vec_test vec_null(vec a) {
    return _mm256_cmpeq_epi8(a, _mm256_setzero_si256());
}
INLINE vec_test test_or(vec_test a, vec_test b) {
    return _mm256_or_si256(a, b);
}
INLINE vec_test test_and(vec_test a, vec_test b) {
    return _mm256_and_si256(a, b);
}
INLINE vec_mask vec_mask_of(vec_test a) {
    return (uint32_t)_mm256_movemask_epi8(a);
}
INLINE bool test_any(vec_test a) {
    return _mm256_movemask_epi8(a) != 0;
}
INLINE bool test_all(vec_test a) {
    int mask = _mm256_movemask_epi8(a);
    /* Or clang turns the vector around and asks whether nothing is set. */
    __asm__("" : "+r"(mask));
    return mask == -1;
}
INLINE vec_test test_not(vec_test a) {
    return _mm256_xor_si256(a, _mm256_set1_epi8(-1));
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
    return _bzhi_u32(mask, (unsigned)n);
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
    const vec lower = _mm256_or_si256(a, _mm256_set1_epi8(0x20));
    const vec letter =
        _mm256_cmpgt_epi8(_mm256_add_epi8(lower, _mm256_set1_epi8(127 - 'z')), _mm256_set1_epi8(127 - 26));
    return _mm256_andnot_si256(_mm256_and_si256(letter, _mm256_set1_epi8(0x20)), _mm256_xor_si256(a, b));
}

/* Wide characters: four bits of the byte mask a lane. */

typedef __m256i wide_test;
typedef uint32_t wide_mask;

INLINE vec wide_fill(uint32_t character) {
    return _mm256_set1_epi32((int)character);
}
INLINE vec wide_min(vec a, vec b) {
    return _mm256_min_epu32(a, b);
}
INLINE wide_test wide_equal(vec a, vec b) {
    return _mm256_cmpeq_epi32(a, b);
}
INLINE wide_test wide_unequal(vec a, vec b) {
    return _mm256_xor_si256(_mm256_cmpeq_epi32(a, b), _mm256_set1_epi8(-1));
}
INLINE wide_test wide_null(vec a) {
    return _mm256_cmpeq_epi32(a, _mm256_setzero_si256());
}
INLINE wide_test wide_test_or(wide_test a, wide_test b) {
    return _mm256_or_si256(a, b);
}
INLINE bool wide_test_any(wide_test a) {
    return _mm256_movemask_epi8(a) != 0;
}
INLINE wide_mask wide_mask_of(wide_test a) {
    return (uint32_t)_mm256_movemask_epi8(a);
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

typedef __m256i short_vec;

INLINE short_vec short_load(const void *p) {
    return _mm256_loadu_si256((const __m256i_u *)p);
}
INLINE void short_store(void *p, short_vec a) {
    _mm256_storeu_si256((__m256i_u *)p, a);
}

#define VEC sizeof(vec)
#define WIDE (VEC / 4)

#endif
