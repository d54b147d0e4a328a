/* ASCII letters to lower case, every other byte as it is: what musl's strcasecmp compares, in every locale.
 */
#ifndef BRAWN_FOLD_H
#define BRAWN_FOLD_H

#include "vector.h"

INLINE unsigned ascii_fold(unsigned byte) {
    return byte - 'A' < 26 ? byte | 0x20 : byte;
}

#if defined(__aarch64__)

INLINE vec_neon vec_fold_neon(vec_neon v) {
    const uint8x16_t upper = vcltq_u8(vsubq_u8(v, vdupq_n_u8('A')), vdupq_n_u8(26));
    return vorrq_u8(v, vandq_u8(upper, vdupq_n_u8(0x20)));
}

#else

/* Moved so that 'A' to 'Z' are the greatest of the signed bytes. */
INLINE vec_sse2 vec_fold_sse2(vec_sse2 v) {
    const vec_sse2 moved = _mm_add_epi8(v, _mm_set1_epi8(127 - 'Z'));
    const vec_sse2 upper = _mm_cmpgt_epi8(moved, _mm_set1_epi8(127 - 26));
    return _mm_or_si128(v, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
}

TARGET_PUSH(AVX2_FEATURES)
INLINE vec_avx2 vec_fold_avx2(vec_avx2 v) {
    const vec_avx2 moved = _mm256_add_epi8(v, _mm256_set1_epi8(127 - 'Z'));
    const vec_avx2 upper = _mm256_cmpgt_epi8(moved, _mm256_set1_epi8(127 - 26));
    return _mm256_or_si256(v, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
}
TARGET_POP

TARGET_PUSH(AVX512_FEATURES)
INLINE vec_avx512 vec_fold_avx512(vec_avx512 v) {
    const __mmask64 upper =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('A')), _mm512_set1_epi8(26));
    return _mm512_mask_add_epi8(v, upper, v, _mm512_set1_epi8(0x20));
}
TARGET_POP

#endif

#define vec_fold LEVEL_NAME(vec_fold)

#endif
