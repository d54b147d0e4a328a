/* The long part of strspn and strcspn, which is one: the null counts as a member of strcspn's set.
 *
* A set is a table of 256 bits, a row for every value of the low four bits, a bit in it for the next three,
 * one half for bytes below 0x80 and one for those above. A byte shuffle looks both halves up for every lane
 * at once: the instruction gives 0 where the index has its top bit set, so each half answers for its own
 * bytes only. SSE2 has no such shuffle: there a table of 256 bytes is looked up byte by byte. Sets of one to
 * four bytes, which most are, need no table: every vector is compared with each. */
#include "vector.h"

/* vec_repeat16: the same 16 bytes in every part of a vector. vec_members: not null where a byte is in the
 * set. */
#if defined(__aarch64__)
#define HAS_SHUFFLE 1
INLINE vec vec_repeat16(const void *p) {
    return vld1q_u8(p);
}
INLINE vec vec_members(vec v, vec low, vec high) {
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t index = vandq_u8(v, vdupq_n_u8(0x8f));
    const uint8x16_t row =
        vorrq_u8(vqtbl1q_u8(low, index), vqtbl1q_u8(high, veorq_u8(index, vdupq_n_u8(0x80))));
    return vandq_u8(row, vqtbl1q_u8(bit, vshrq_n_u8(v, 4)));
}
#elif defined(__AVX2__)
#define HAS_SHUFFLE 1
INLINE vec vec_repeat16(const void *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(p));
}
INLINE vec vec_members(vec v, vec low, vec high) {
    const vec bit = _mm256_set1_epi64x((long long)0x8040201008040201);
    const vec flipped = _mm256_xor_si256(v, _mm256_set1_epi8(-128));
    const vec row = _mm256_or_si256(_mm256_shuffle_epi8(low, v), _mm256_shuffle_epi8(high, flipped));
    const vec index = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(7));
    return _mm256_and_si256(row, _mm256_shuffle_epi8(bit, index));
}
#else
#define HAS_SHUFFLE 0
#endif

/* Sets of one to four bytes. A fifth stands for the null, or again for the first. */
OVER_READS INLINE size_t span_few(const char *base, const char *s, const char *set, bool spanning) {
    const unsigned char a = (unsigned char)set[0], b = set[1] ? (unsigned char)set[1] : a;
    const unsigned char c = set[1] && set[2] ? (unsigned char)set[2] : a;
    const unsigned char d = set[1] && set[2] && set[3] ? (unsigned char)set[3] : a;
    const vec first = vec_fill(a), second = vec_fill(b), third = vec_fill(c), fourth = vec_fill(d);
    const vec fifth = vec_fill(spanning ? a : 0);
    const vec_mask flip = spanning ? vec_mask_of(vec_null(vec_zero())) : 0;
    const char *p = (const char *)((uintptr_t)s & ~(uintptr_t)(VEC - 1));
#define STOPS(v)                                                                                             \
    (flip ^ vec_mask_of(test_or(test_or(test_or(vec_equal(v, first), vec_equal(v, second)),                  \
                                        test_or(vec_equal(v, third), vec_equal(v, fourth))),                 \
                                vec_equal(v, fifth))))
    vec v = vec_load_aligned(p);
    vec_mask mask = mask_after(STOPS(v), (size_t)(s - p));
    if (mask) {
        return (size_t)(s - base) + mask_first(mask);
    }
    do {
        p += VEC;
        v = vec_load_aligned(p);
        mask = STOPS(v);
    } while (!mask);
#undef STOPS
    return (size_t)(p - base) + mask_first(mask);
}

OVER_READS LONG_PART(size_t, __brawn_strspn,
                     (const char *base, const char *s, const char *set, bool spanning)) {
    if (set[0] && (!set[1] || !set[2] || !set[3] || !set[4])) {
        return span_few(base, s, set, spanning);
    }
#if defined(__AVX2__)
    /* A set of up to 15 bytes, which the entry has not compared with. To the end of a line that takes less time than a table. */
    if (!spanning && s == base && !crosses_page(set, 16) &&
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i_u *)set), _mm_setzero_si128()))) {
        const char *const line = (const char *)((uintptr_t)s & -(uintptr_t)64);
        const vec v0 = vec_load_aligned(line), v1 = vec_load_aligned(line + VEC);
        vec_test t0 = vec_null(v0), t1 = vec_null(v1);
        NO_UNROLL
        for (const char *c = set; *c; c++) {
            const vec member = vec_fill((unsigned char)*c);
            t0 = test_or(t0, vec_equal(v0, member));
            t1 = test_or(t1, vec_equal(v1, member));
        }
        const uint64_t found = (vec_mask_of(t0) | (uint64_t)vec_mask_of(t1) << VEC) >> ((uintptr_t)s & 63);
        if (found) {
            return (unsigned)__builtin_ctzll(found);
        }
        s = line + 2 * VEC;
    }
#endif
#if HAS_SHUFFLE
    unsigned char rows[32] __attribute__((aligned(16))) = {0};
    const vec_mask all = vec_mask_of(vec_null(vec_zero()));
    rows[0] = !spanning;
    NO_UNROLL
    for (; *set; set++) {
        const unsigned char c = (unsigned char)*set;
        rows[(c & 15) + (c >> 7) * 16] |= (unsigned char)(1u << ((c >> 4) & 7));
    }
    const vec low = vec_repeat16(rows), high = vec_repeat16(rows + 16);
    const vec_mask flip = spanning ? 0 : all;
    const char *p = (const char *)((uintptr_t)s & ~(uintptr_t)(VEC - 1));
    vec_mask mask = flip ^ vec_mask_of(vec_null(vec_members(vec_load_aligned(p), low, high)));
    mask = mask_after(mask, (size_t)(s - p));
    if (mask) {
        return (size_t)(s - base) + mask_first(mask);
    }
    do {
        p += VEC;
        mask = flip ^ vec_mask_of(vec_null(vec_members(vec_load_aligned(p), low, high)));
    } while (!mask);
    return (size_t)(p - base) + mask_first(mask);
#else
    unsigned char member[256];
    for (size_t i = 0; i < sizeof member; i += VEC) {
        vec_store(member + i, vec_zero());
    }
    member[0] = !spanning;
    NO_UNROLL
    for (; *set; set++) {
        member[(unsigned char)*set] = 1;
    }
    for (;; s += 4) {
        if (member[(unsigned char)s[0]] != spanning) {
            return (size_t)(s - base);
        }
        if (member[(unsigned char)s[1]] != spanning) {
            return (size_t)(s - base) + 1;
        }
        if (member[(unsigned char)s[2]] != spanning) {
            return (size_t)(s - base) + 2;
        }
        if (member[(unsigned char)s[3]] != spanning) {
            return (size_t)(s - base) + 3;
        }
    }
#endif
}
