/* AVX-512: 64 bytes; comparisons give mask registers. This level is used only on cores that run these at full
 * speed (detect.h), so nothing is gained by shorter vectors. vector.h includes this where the compiler has
 * it. */
#ifndef BRAWN_VECTOR_AVX512_H
#define BRAWN_VECTOR_AVX512_H

#include "brawn_string.h"

#include <immintrin.h>

typedef __m512i vec;
typedef uint64_t vec_test;
typedef uint64_t vec_mask;

INLINE vec vec_load(const void *p) {
    return _mm512_loadu_si512(p);
}
INLINE vec vec_load_aligned(const void *p) {
    return _mm512_load_si512(p);
}
INLINE void vec_store(void *p, vec a) {
    _mm512_storeu_si512(p, a);
}
INLINE void vec_store_aligned(void *p, vec a) {
    _mm512_store_si512(p, a);
}
INLINE vec vec_fill(unsigned char byte) {
    return _mm512_set1_epi8((char)byte);
}
INLINE vec vec_zero(void) {
    return _mm512_setzero_si512();
}
INLINE vec vec_min(vec a, vec b) {
    return _mm512_min_epu8(a, b);
}
INLINE vec vec_and(vec a, vec b) {
    return _mm512_and_si512(a, b);
}
INLINE vec vec_or(vec a, vec b) {
    return _mm512_or_si512(a, b);
}
INLINE vec vec_xor(vec a, vec b) {
    return _mm512_xor_si512(a, b);
}
INLINE vec_test vec_equal(vec a, vec b) {
    return _mm512_cmpeq_epi8_mask(a, b);
}
INLINE vec_test vec_unequal(vec a, vec b) {
    return _mm512_cmpneq_epi8_mask(a, b);
}
INLINE vec_test vec_null(vec a) {
    return _mm512_testn_epi8_mask(a, a);
}
INLINE vec_test test_or(vec_test a, vec_test b) {
    return a | b;
}
INLINE vec_test test_and(vec_test a, vec_test b) {
    return a & b;
}
INLINE bool test_any(vec_test a) {
    return a != 0;
}
INLINE bool test_all(vec_test a) {
    return a == UINT64_MAX;
}
INLINE vec_test test_not(vec_test a) {
    return ~a;
}
INLINE vec_mask vec_mask_of(vec_test a) {
    return a;
}
INLINE size_t mask_first(vec_mask mask) {
    return (unsigned)__builtin_ctzll(mask);
}
INLINE size_t mask_last(vec_mask mask) {
    return 63u ^ (unsigned)__builtin_clzll(mask);
}
INLINE vec_mask mask_after(vec_mask mask, size_t n) {
    return mask >> n;
}
INLINE vec_mask mask_before(vec_mask mask, size_t n) {
    return _bzhi_u64(mask, (unsigned)n);
}

INLINE vec_mask mask_drop(vec_mask mask) {
    return mask & (mask - 1);
}
INLINE vec vec_keep(vec_test test, vec a) {
    return _mm512_maskz_mov_epi8(test, a);
}
INLINE vec vec_fold_xor(vec a, vec b) {
    const vec lower = _mm512_or_si512(a, _mm512_set1_epi8(0x20));
    const __mmask64 letter =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
    const vec bit = _mm512_maskz_mov_epi8(letter, _mm512_set1_epi8(0x20));
    return _mm512_andnot_si512(bit, _mm512_xor_si512(a, b));
}
/* A vector that is null where one of two has a null or the wanted byte: of the first by a mask that goes into the next
 * instruction, of the second by its difference, so that neither the ports of comparisons nor those of the rest wait for
 * the others. Opaque, or clang joins the masks behind the minimums by instructions of their own. */
INLINE vec vec_two_key(vec a, vec b, vec wanted) {
    vec key = _mm512_maskz_min_epu8(_mm512_cmpneq_epi8_mask(a, wanted), a, vec_min(vec_xor(b, wanted), b));
    __asm__("" : "+v"(key));
    return key;
}

/* Whether one of four vectors has a null or the wanted byte. */
INLINE bool vec_four_have(vec a, vec b, vec c, vec d, vec wanted) {
    return vec_null(vec_min(vec_two_key(a, b, wanted), vec_two_key(c, d, wanted))) != 0;
}

/* Whether one of four vectors has the wanted byte: each comparison takes the mask of the one before. */
INLINE bool vec_four_equal(vec a, vec b, vec c, vec d, vec wanted) {
    __mmask64 others = _mm512_cmpneq_epi8_mask(a, wanted);
    others = _mm512_mask_cmpneq_epi8_mask(others, b, wanted);
    others = _mm512_mask_cmpneq_epi8_mask(others, c, wanted);
    others = _mm512_mask_cmpneq_epi8_mask(others, d, wanted);
    return others != ~UINT64_C(0);
}

/* A mask whose first lane is where two vectors part or have a null: 0 where they do not. What goes on is one mask, and 1
 * added to it carries to the first lane that does not. */
INLINE vec_mask vec_parting(vec a, vec b) {
    return _mm512_mask_test_epi8_mask(_mm512_cmpeq_epi8_mask(a, b), a, a) + 1;
}

/* Null where four pairs of vectors are the same. A mask for each pair would be known later, and so would the branch. */
INLINE vec vec_four_differences(vec a0, vec a1, vec a2, vec a3, vec b0, vec b1, vec b2, vec b3) {
    enum { OR_DIFFERS = 0xf6 }; /* first | (second ^ third) */
    /* Or gcc loads them twice. */
    __asm__("" : "+v"(a1), "+v"(a2), "+v"(a3));
    vec differences = vec_xor(a0, b0);
    differences = _mm512_ternarylogic_epi64(differences, a1, b1, OR_DIFFERS);
    differences = _mm512_ternarylogic_epi64(differences, a2, b2, OR_DIFFERS);
    return _mm512_ternarylogic_epi64(differences, a3, b3, OR_DIFFERS);
}

/* Whether four pairs of vectors part, or have a null: only the lanes without a difference may go on. */
INLINE bool vec_four_part(vec a0, vec a1, vec a2, vec a3, vec b0, vec b1, vec b2, vec b3) {
    const vec differences = vec_four_differences(a0, a1, a2, a3, b0, b1, b2, b3);
    const vec least = vec_min(vec_min(a0, a1), vec_min(a2, a3));
    return _mm512_mask_test_epi8_mask(vec_null(differences), least, least) != ~UINT64_C(0);
}

/* Wide characters: one bit a lane. */

typedef __mmask16 wide_test;
typedef uint32_t wide_mask;

INLINE vec wide_fill(uint32_t character) {
    return _mm512_set1_epi32((int)character);
}
INLINE vec wide_min(vec a, vec b) {
    return _mm512_min_epu32(a, b);
}
INLINE wide_test wide_equal(vec a, vec b) {
    return _mm512_cmpeq_epi32_mask(a, b);
}
INLINE wide_test wide_unequal(vec a, vec b) {
    return _mm512_cmpneq_epi32_mask(a, b);
}
INLINE wide_test wide_null(vec a) {
    return _mm512_testn_epi32_mask(a, a);
}
INLINE wide_test wide_test_or(wide_test a, wide_test b) {
    return (wide_test)(a | b);
}
INLINE bool wide_test_any(wide_test a) {
    return a != 0;
}
INLINE wide_mask wide_mask_of(wide_test a) {
    return a;
}
INLINE size_t wide_mask_first(wide_mask mask) {
    return (unsigned)__builtin_ctz(mask);
}
INLINE size_t wide_mask_last(wide_mask mask) {
    return 31u ^ (unsigned)__builtin_clz(mask);
}
INLINE wide_mask wide_mask_after(wide_mask mask, size_t n) {
    return mask >> n;
}

INLINE vec wide_keep(wide_test test, vec a) {
    return _mm512_maskz_mov_epi32(test, a);
}

/* For blocks that may be read again at once. */

typedef __m256i short_vec;

INLINE short_vec short_load(const void *p) {
    short_vec a = _mm256_loadu_si256((const __m256i_u *)p);
    /* Or clang joins two neighbours into one of 64 bytes, which is what this is here to avoid. */
    __asm__("" : "+v"(a));
    return a;
}
INLINE void short_store(void *p, short_vec a) {
    _mm256_storeu_si256((__m256i_u *)p, a);
}

#define VEC sizeof(vec)
#define WIDE (VEC / 4)

#endif
