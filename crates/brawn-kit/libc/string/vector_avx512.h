/* 64 bytes; comparisons give mask registers. Level AVX-512 is used only on cores that run these at full speed
 * (detect.h), so nothing is gained by shorter vectors. */

typedef __m512i vec_avx512;
typedef uint64_t vec_test_avx512;
typedef uint64_t vec_mask_avx512;

INLINE vec_avx512 vec_load_avx512(const void *p) {
    return _mm512_loadu_si512(p);
}
INLINE vec_avx512 vec_load_aligned_avx512(const void *p) {
    return _mm512_load_si512(p);
}
INLINE void vec_store_avx512(void *p, vec_avx512 a) {
    _mm512_storeu_si512(p, a);
}
INLINE void vec_store_aligned_avx512(void *p, vec_avx512 a) {
    _mm512_store_si512(p, a);
}
INLINE vec_avx512 vec_fill_avx512(unsigned char byte) {
    return _mm512_set1_epi8((char)byte);
}
INLINE vec_avx512 vec_zero_avx512(void) {
    return _mm512_setzero_si512();
}
INLINE vec_avx512 vec_min_avx512(vec_avx512 a, vec_avx512 b) {
    return _mm512_min_epu8(a, b);
}
INLINE vec_avx512 vec_and_avx512(vec_avx512 a, vec_avx512 b) {
    return _mm512_and_si512(a, b);
}
INLINE vec_avx512 vec_or_avx512(vec_avx512 a, vec_avx512 b) {
    return _mm512_or_si512(a, b);
}
INLINE vec_avx512 vec_xor_avx512(vec_avx512 a, vec_avx512 b) {
    return _mm512_xor_si512(a, b);
}
INLINE vec_test_avx512 vec_equal_avx512(vec_avx512 a, vec_avx512 b) {
    return _mm512_cmpeq_epi8_mask(a, b);
}
INLINE vec_test_avx512 vec_unequal_avx512(vec_avx512 a, vec_avx512 b) {
    return _mm512_cmpneq_epi8_mask(a, b);
}
INLINE vec_test_avx512 vec_null_avx512(vec_avx512 a) {
    return _mm512_testn_epi8_mask(a, a);
}
INLINE vec_test_avx512 test_or_avx512(vec_test_avx512 a, vec_test_avx512 b) {
    return a | b;
}
INLINE vec_test_avx512 test_and_avx512(vec_test_avx512 a, vec_test_avx512 b) {
    return a & b;
}
INLINE bool test_any_avx512(vec_test_avx512 a) {
    return a != 0;
}
INLINE bool test_all_avx512(vec_test_avx512 a) {
    return a == UINT64_MAX;
}
INLINE vec_test_avx512 test_not_avx512(vec_test_avx512 a) {
    return ~a;
}
INLINE vec_mask_avx512 vec_mask_of_avx512(vec_test_avx512 a) {
    return a;
}
INLINE size_t mask_first_avx512(vec_mask_avx512 mask) {
    return (unsigned)__builtin_ctzll(mask);
}
INLINE size_t mask_last_avx512(vec_mask_avx512 mask) {
    return 63u ^ (unsigned)__builtin_clzll(mask);
}
INLINE vec_mask_avx512 mask_after_avx512(vec_mask_avx512 mask, size_t n) {
    return mask >> n;
}
INLINE vec_mask_avx512 mask_before_avx512(vec_mask_avx512 mask, size_t n) {
    return _bzhi_u64(mask, (unsigned)n);
}

/* Wide characters: one bit a lane. */

typedef __mmask16 wide_test_avx512;
typedef uint32_t wide_mask_avx512;

INLINE vec_avx512 wide_fill_avx512(uint32_t character) {
    return _mm512_set1_epi32((int)character);
}
INLINE vec_avx512 wide_min_avx512(vec_avx512 a, vec_avx512 b) {
    return _mm512_min_epu32(a, b);
}
INLINE wide_test_avx512 wide_equal_avx512(vec_avx512 a, vec_avx512 b) {
    return _mm512_cmpeq_epi32_mask(a, b);
}
INLINE wide_test_avx512 wide_unequal_avx512(vec_avx512 a, vec_avx512 b) {
    return _mm512_cmpneq_epi32_mask(a, b);
}
INLINE wide_test_avx512 wide_null_avx512(vec_avx512 a) {
    return _mm512_testn_epi32_mask(a, a);
}
INLINE wide_test_avx512 wide_test_or_avx512(wide_test_avx512 a, wide_test_avx512 b) {
    return (wide_test_avx512)(a | b);
}
INLINE bool wide_test_any_avx512(wide_test_avx512 a) {
    return a != 0;
}
INLINE wide_mask_avx512 wide_mask_of_avx512(wide_test_avx512 a) {
    return a;
}
INLINE size_t wide_mask_first_avx512(wide_mask_avx512 mask) {
    return (unsigned)__builtin_ctz(mask);
}
INLINE size_t wide_mask_last_avx512(wide_mask_avx512 mask) {
    return 31u ^ (unsigned)__builtin_clz(mask);
}
INLINE wide_mask_avx512 wide_mask_after_avx512(wide_mask_avx512 mask, size_t n) {
    return mask >> n;
}

/* For blocks that may be read again at once. */

typedef __m256i short_vec_avx512;

INLINE short_vec_avx512 short_load_avx512(const void *p) {
    short_vec_avx512 a = _mm256_loadu_si256((const __m256i_u *)p);
    /* Or clang joins two neighbours into one of 64 bytes, which is what this is here to avoid. */
    __asm__("" : "+v"(a));
    return a;
}
INLINE void short_store_avx512(void *p, short_vec_avx512 a) {
    _mm256_storeu_si256((__m256i_u *)p, a);
}
