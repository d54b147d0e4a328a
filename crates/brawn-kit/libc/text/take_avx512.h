/*
 * What take.h does, for blocks of 32 bytes with AVX-512 and VBMI2, which level 3 of the string functions includes: comparisons give
 * masks, and one instruction moves the characters that are kept together. The rest goes to take_avx2.
 */

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi,bmi2,popcnt")))

enum { WIDE_BYTES = 34 };

AVX512 static size_t take_avx512(const uint8_t **from, const uint8_t *end, uint16_t *to, size_t room,
                                 bool nul) {
    const __m256i following = _mm256_set1_epi8((char)0xc0);
    const uint8_t *s = *from;
    size_t done = 0;
    uint64_t carried = 0;
    while (end - s >= WIDE_BYTES && room - done >= 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i_u *)s);
        if (nul && _mm256_testn_epi8_mask(v, v) != 0) {
            break;
        }
        const uint32_t high = _mm256_movepi8_mask(v);
        __m512i value = _mm512_cvtepu8_epi16(v);
        uint32_t starts = UINT32_MAX;
        if ((high | carried) != 0) {
            const __m256i second = _mm256_loadu_si256((const __m256i_u *)(s + 1));
            const __m256i third = _mm256_loadu_si256((const __m256i_u *)(s + 2));
            const __m256i low_bits = _mm256_set1_epi8(0x3f);
            const uint32_t follows = _mm256_cmplt_epi8_mask(v, following), lead = high & ~follows;
            const uint32_t threes = _mm256_cmpge_epu8_mask(v, _mm256_set1_epi8((char)0xe0));
            const uint64_t found = follows | (uint64_t)_mm256_cmplt_epi8_mask(third, following) >> 30 << 32;
            const uint64_t expected = (uint64_t)lead << 1 | (uint64_t)threes << 2;
            uint32_t wrong = _mm256_cmpeq_epi8_mask(_mm256_and_si256(v, _mm256_set1_epi8((char)0xfe)),
                                                    _mm256_set1_epi8((char)0xc0));
            const __m512i middle = _mm512_cvtepu8_epi16(_mm256_and_si256(second, low_bits));
            const __m512i two = _mm512_or_si512(
                _mm512_slli_epi16(_mm512_and_si512(value, _mm512_set1_epi16(0x1f)), 6), middle);
            if (threes == 0) {
                value = _mm512_mask_mov_epi16(value, lead, two);
            } else {
                const uint32_t above = _mm256_cmpge_epi8_mask(second, _mm256_set1_epi8((char)0xa0));
                wrong |= _mm256_cmpge_epu8_mask(v, _mm256_set1_epi8((char)0xf0));
                wrong |= _mm256_cmpeq_epi8_mask(v, _mm256_set1_epi8((char)0xe0)) & ~above;
                wrong |= _mm256_cmpeq_epi8_mask(v, _mm256_set1_epi8((char)0xed)) & above;
                const __m512i last = _mm512_cvtepu8_epi16(_mm256_and_si256(third, low_bits));
                const __m512i three = _mm512_or_si512(
                    _mm512_or_si512(_mm512_slli_epi16(value, 12), _mm512_slli_epi16(middle, 6)), last);
                value = _mm512_mask_mov_epi16(_mm512_mask_mov_epi16(value, lead, two), threes, three);
            }
            if (wrong != 0 || (((expected | carried) ^ found) & (UINT32_MAX | expected)) != 0) {
                break;
            }
            carried = expected >> 32;
            starts = ~follows;
            value = _mm512_maskz_compress_epi16(starts, value);
        }
        if (to != NULL) {
            _mm512_storeu_si512(to + done, value);
        }
        done += (unsigned)__builtin_popcount(starts);
        s += 32;
    }
    *from = s + carried - (carried >> 1);
    _mm256_zeroupper();
    return done + take_avx2(from, end, to == NULL ? NULL : to + done, room - done, nul);
}
