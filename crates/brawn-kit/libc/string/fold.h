/* ASCII letters to lower case, every other byte as it is: what musl's strcasecmp compares, in every locale.
 */
#ifndef BRAWN_FOLD_H
#define BRAWN_FOLD_H

#include "vector.h"

INLINE unsigned ascii_fold(unsigned byte) {
    return byte - 'A' < 26 ? byte | 0x20 : byte;
}

#if defined(__aarch64__)

/* Null where a and b differ by no more than a letter's case: they differ by nothing, or by that bit alone
 * where a is a letter. */
INLINE vec_neon vec_fold_xor_neon(vec_neon a, vec_neon b) {
    const uint8x16_t lower = vorrq_u8(a, vdupq_n_u8(0x20));
    const uint8x16_t letter = vcltq_u8(vsubq_u8(lower, vdupq_n_u8('a')), vdupq_n_u8(26));
    return vbicq_u8(veorq_u8(a, b), vandq_u8(letter, vdupq_n_u8(0x20)));
}

#else

INLINE vec_sse2 vec_fold_xor_sse2(vec_sse2 a, vec_sse2 b) {
    /* Moved so that 'a' to 'z' are the greatest of the signed bytes. */
    const vec_sse2 lower = _mm_or_si128(a, _mm_set1_epi8(0x20));
    const vec_sse2 letter =
        _mm_cmpgt_epi8(_mm_add_epi8(lower, _mm_set1_epi8(127 - 'z')), _mm_set1_epi8(127 - 26));
    return _mm_andnot_si128(_mm_and_si128(letter, _mm_set1_epi8(0x20)), _mm_xor_si128(a, b));
}

TARGET_PUSH(AVX2_FEATURES)
INLINE vec_avx2 vec_fold_xor_avx2(vec_avx2 a, vec_avx2 b) {
    const vec_avx2 lower = _mm256_or_si256(a, _mm256_set1_epi8(0x20));
    const vec_avx2 letter =
        _mm256_cmpgt_epi8(_mm256_add_epi8(lower, _mm256_set1_epi8(127 - 'z')), _mm256_set1_epi8(127 - 26));
    return _mm256_andnot_si256(_mm256_and_si256(letter, _mm256_set1_epi8(0x20)), _mm256_xor_si256(a, b));
}
TARGET_POP

TARGET_PUSH(AVX512_FEATURES)
INLINE vec_avx512 vec_fold_xor_avx512(vec_avx512 a, vec_avx512 b) {
    const vec_avx512 lower = _mm512_or_si512(a, _mm512_set1_epi8(0x20));
    const __mmask64 letter =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, _mm512_set1_epi8('a')), _mm512_set1_epi8(26));
    const vec_avx512 bit = _mm512_maskz_mov_epi8(letter, _mm512_set1_epi8(0x20));
    return _mm512_andnot_si512(bit, _mm512_xor_si512(a, b));
}
TARGET_POP

#endif

#define vec_fold_xor LEVEL_NAME(vec_fold_xor)

#endif
