/* 32 bytes. A mask has one bit a byte. */

typedef __m256i vec_avx2;
typedef __m256i vec_test_avx2;
typedef uint32_t vec_mask_avx2;

INLINE vec_avx2 vec_load_avx2(const void *p) {
    return _mm256_loadu_si256((const __m256i_u *)p);
}
INLINE vec_avx2 vec_load_aligned_avx2(const void *p) {
    return _mm256_load_si256((const __m256i *)p);
}
INLINE void vec_store_avx2(void *p, vec_avx2 a) {
    _mm256_storeu_si256((__m256i_u *)p, a);
}
INLINE void vec_store_aligned_avx2(void *p, vec_avx2 a) {
    _mm256_store_si256((__m256i *)p, a);
}
INLINE vec_avx2 vec_fill_avx2(unsigned char byte) {
    return _mm256_set1_epi8((char)byte);
}
INLINE vec_avx2 vec_zero_avx2(void) {
    return _mm256_setzero_si256();
}
INLINE vec_avx2 vec_min_avx2(vec_avx2 a, vec_avx2 b) {
    return _mm256_min_epu8(a, b);
}
INLINE vec_avx2 vec_and_avx2(vec_avx2 a, vec_avx2 b) {
    return _mm256_and_si256(a, b);
}
INLINE vec_avx2 vec_or_avx2(vec_avx2 a, vec_avx2 b) {
    return _mm256_or_si256(a, b);
}
INLINE vec_avx2 vec_xor_avx2(vec_avx2 a, vec_avx2 b) {
    return _mm256_xor_si256(a, b);
}
INLINE vec_test_avx2 vec_equal_avx2(vec_avx2 a, vec_avx2 b) {
    return _mm256_cmpeq_epi8(a, b);
}
INLINE vec_test_avx2 vec_unequal_avx2(vec_avx2 a, vec_avx2 b) {
    return _mm256_xor_si256(_mm256_cmpeq_epi8(a, b), _mm256_set1_epi8(-1));
}
INLINE vec_test_avx2 vec_null_avx2(vec_avx2 a) {
    return _mm256_cmpeq_epi8(a, _mm256_setzero_si256());
}
INLINE vec_test_avx2 test_or_avx2(vec_test_avx2 a, vec_test_avx2 b) {
    return _mm256_or_si256(a, b);
}
INLINE vec_test_avx2 test_and_avx2(vec_test_avx2 a, vec_test_avx2 b) {
    return _mm256_and_si256(a, b);
}
INLINE vec_mask_avx2 vec_mask_of_avx2(vec_test_avx2 a) {
    return (uint32_t)_mm256_movemask_epi8(a);
}
INLINE bool test_any_avx2(vec_test_avx2 a) {
    return _mm256_movemask_epi8(a) != 0;
}
INLINE bool test_all_avx2(vec_test_avx2 a) {
    int mask = _mm256_movemask_epi8(a);
    /* Or clang turns the vector around and asks whether nothing is set. */
    __asm__("" : "+r"(mask));
    return mask == -1;
}
INLINE vec_test_avx2 test_not_avx2(vec_test_avx2 a) {
    return _mm256_xor_si256(a, _mm256_set1_epi8(-1));
}
INLINE size_t mask_first_avx2(vec_mask_avx2 mask) {
    return (unsigned)__builtin_ctz(mask);
}
INLINE size_t mask_last_avx2(vec_mask_avx2 mask) {
    return 31u ^ (unsigned)__builtin_clz(mask);
}
INLINE vec_mask_avx2 mask_after_avx2(vec_mask_avx2 mask, size_t n) {
    return mask >> n;
}
INLINE vec_mask_avx2 mask_before_avx2(vec_mask_avx2 mask, size_t n) {
    return _bzhi_u32(mask, (unsigned)n);
}

/* Wide characters: four bits of the byte mask a lane. */

typedef __m256i wide_test_avx2;
typedef uint32_t wide_mask_avx2;

INLINE vec_avx2 wide_fill_avx2(uint32_t character) {
    return _mm256_set1_epi32((int)character);
}
INLINE vec_avx2 wide_min_avx2(vec_avx2 a, vec_avx2 b) {
    return _mm256_min_epu32(a, b);
}
INLINE wide_test_avx2 wide_equal_avx2(vec_avx2 a, vec_avx2 b) {
    return _mm256_cmpeq_epi32(a, b);
}
INLINE wide_test_avx2 wide_unequal_avx2(vec_avx2 a, vec_avx2 b) {
    return _mm256_xor_si256(_mm256_cmpeq_epi32(a, b), _mm256_set1_epi8(-1));
}
INLINE wide_test_avx2 wide_null_avx2(vec_avx2 a) {
    return _mm256_cmpeq_epi32(a, _mm256_setzero_si256());
}
INLINE wide_test_avx2 wide_test_or_avx2(wide_test_avx2 a, wide_test_avx2 b) {
    return _mm256_or_si256(a, b);
}
INLINE bool wide_test_any_avx2(wide_test_avx2 a) {
    return _mm256_movemask_epi8(a) != 0;
}
INLINE wide_mask_avx2 wide_mask_of_avx2(wide_test_avx2 a) {
    return (uint32_t)_mm256_movemask_epi8(a);
}
INLINE size_t wide_mask_first_avx2(wide_mask_avx2 mask) {
    return (unsigned)__builtin_ctz(mask) >> 2;
}
INLINE size_t wide_mask_last_avx2(wide_mask_avx2 mask) {
    return (31u ^ (unsigned)__builtin_clz(mask)) >> 2;
}
INLINE wide_mask_avx2 wide_mask_after_avx2(wide_mask_avx2 mask, size_t n) {
    return mask >> (4 * n);
}

/* For blocks that may be read again at once. */

typedef __m256i short_vec_avx2;

INLINE short_vec_avx2 short_load_avx2(const void *p) {
    return _mm256_loadu_si256((const __m256i_u *)p);
}
INLINE void short_store_avx2(void *p, short_vec_avx2 a) {
    _mm256_storeu_si256((__m256i_u *)p, a);
}
