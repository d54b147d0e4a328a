/* 16 bytes: what every x86_64 CPU has. A mask has one bit a byte. */

typedef __m128i vec_sse2;
typedef __m128i vec_test_sse2;
typedef uint32_t vec_mask_sse2;

INLINE vec_sse2 vec_load_sse2(const void *p) {
    return _mm_loadu_si128((const __m128i_u *)p);
}
INLINE vec_sse2 vec_load_aligned_sse2(const void *p) {
    return _mm_load_si128((const __m128i *)p);
}
INLINE void vec_store_sse2(void *p, vec_sse2 a) {
    _mm_storeu_si128((__m128i_u *)p, a);
}
INLINE void vec_store_aligned_sse2(void *p, vec_sse2 a) {
    _mm_store_si128((__m128i *)p, a);
}
INLINE vec_sse2 vec_fill_sse2(unsigned char byte) {
    return _mm_set1_epi8((char)byte);
}
INLINE vec_sse2 vec_zero_sse2(void) {
    return _mm_setzero_si128();
}
INLINE vec_sse2 vec_min_sse2(vec_sse2 a, vec_sse2 b) {
    return _mm_min_epu8(a, b);
}
INLINE vec_sse2 vec_and_sse2(vec_sse2 a, vec_sse2 b) {
    return _mm_and_si128(a, b);
}
INLINE vec_sse2 vec_or_sse2(vec_sse2 a, vec_sse2 b) {
    return _mm_or_si128(a, b);
}
INLINE vec_sse2 vec_xor_sse2(vec_sse2 a, vec_sse2 b) {
    return _mm_xor_si128(a, b);
}
INLINE vec_test_sse2 vec_equal_sse2(vec_sse2 a, vec_sse2 b) {
    return _mm_cmpeq_epi8(a, b);
}
INLINE vec_test_sse2 vec_unequal_sse2(vec_sse2 a, vec_sse2 b) {
    return _mm_xor_si128(_mm_cmpeq_epi8(a, b), _mm_set1_epi8(-1));
}
INLINE vec_test_sse2 vec_null_sse2(vec_sse2 a) {
    return _mm_cmpeq_epi8(a, _mm_setzero_si128());
}
INLINE vec_test_sse2 test_or_sse2(vec_test_sse2 a, vec_test_sse2 b) {
    return _mm_or_si128(a, b);
}
INLINE vec_test_sse2 test_and_sse2(vec_test_sse2 a, vec_test_sse2 b) {
    return _mm_and_si128(a, b);
}
INLINE vec_mask_sse2 vec_mask_of_sse2(vec_test_sse2 a) {
    return (uint32_t)_mm_movemask_epi8(a);
}
INLINE bool test_any_sse2(vec_test_sse2 a) {
    return _mm_movemask_epi8(a) != 0;
}
INLINE bool test_all_sse2(vec_test_sse2 a) {
    int mask = _mm_movemask_epi8(a);
    /* Or clang turns the vector around and asks whether nothing is set. */
    __asm__("" : "+r"(mask));
    return mask == 0xffff;
}
INLINE vec_test_sse2 test_not_sse2(vec_test_sse2 a) {
    return _mm_xor_si128(a, _mm_set1_epi8(-1));
}
INLINE size_t mask_first_sse2(vec_mask_sse2 mask) {
    return (unsigned)__builtin_ctz(mask);
}
INLINE size_t mask_last_sse2(vec_mask_sse2 mask) {
    return 31u ^ (unsigned)__builtin_clz(mask);
}
INLINE vec_mask_sse2 mask_after_sse2(vec_mask_sse2 mask, size_t n) {
    return mask >> n;
}
INLINE vec_mask_sse2 mask_before_sse2(vec_mask_sse2 mask, size_t n) {
    return mask & ((1u << n) - 1);
}

/* Wide characters: four bits of the byte mask a lane. */

typedef __m128i wide_test_sse2;
typedef uint32_t wide_mask_sse2;

INLINE vec_sse2 wide_fill_sse2(uint32_t character) {
    return _mm_set1_epi32((int)character);
}
/* SSE2 has no minimum of 32-bit lanes: through a signed comparison of values moved by half the range. */
INLINE vec_sse2 wide_min_sse2(vec_sse2 a, vec_sse2 b) {
    const vec_sse2 half = _mm_set1_epi32(INT32_MIN);
    const vec_sse2 greater = _mm_cmpgt_epi32(_mm_xor_si128(a, half), _mm_xor_si128(b, half));
    return _mm_or_si128(_mm_and_si128(greater, b), _mm_andnot_si128(greater, a));
}
INLINE wide_test_sse2 wide_equal_sse2(vec_sse2 a, vec_sse2 b) {
    return _mm_cmpeq_epi32(a, b);
}
INLINE wide_test_sse2 wide_unequal_sse2(vec_sse2 a, vec_sse2 b) {
    return _mm_xor_si128(_mm_cmpeq_epi32(a, b), _mm_set1_epi8(-1));
}
INLINE wide_test_sse2 wide_null_sse2(vec_sse2 a) {
    return _mm_cmpeq_epi32(a, _mm_setzero_si128());
}
INLINE wide_test_sse2 wide_test_or_sse2(wide_test_sse2 a, wide_test_sse2 b) {
    return _mm_or_si128(a, b);
}
INLINE bool wide_test_any_sse2(wide_test_sse2 a) {
    return _mm_movemask_epi8(a) != 0;
}
INLINE wide_mask_sse2 wide_mask_of_sse2(wide_test_sse2 a) {
    return (uint32_t)_mm_movemask_epi8(a);
}
INLINE size_t wide_mask_first_sse2(wide_mask_sse2 mask) {
    return (unsigned)__builtin_ctz(mask) >> 2;
}
INLINE size_t wide_mask_last_sse2(wide_mask_sse2 mask) {
    return (31u ^ (unsigned)__builtin_clz(mask)) >> 2;
}
INLINE wide_mask_sse2 wide_mask_after_sse2(wide_mask_sse2 mask, size_t n) {
    return mask >> (4 * n);
}

/* For blocks that may be read again at once. */

typedef __m128i short_vec_sse2;

INLINE short_vec_sse2 short_load_sse2(const void *p) {
    return _mm_loadu_si128((const __m128i_u *)p);
}
INLINE void short_store_sse2(void *p, short_vec_sse2 a) {
    _mm_storeu_si128((__m128i_u *)p, a);
}
