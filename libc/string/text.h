/* What the functions on null-terminated strings, of bytes or of wide characters, share beyond lanes.h. */
#ifndef BRAWN_TEXT_H
#define BRAWN_TEXT_H

#include "brawn_string.h"
#include "vector.h"
#include "lanes.h"

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

/* v in the lanes that the test names, null in the others. */
#if defined(__aarch64__)
INLINE vec_neon keep_neon(vec_test_neon test, vec_neon v) {
    return vec_and_neon(test, v);
}
#else
INLINE vec_sse2 keep_sse2(vec_test_sse2 test, vec_sse2 v) {
    return vec_and_sse2(test, v);
}
TARGET_PUSH(AVX2_FEATURES)
INLINE vec_avx2 keep_avx2(vec_test_avx2 test, vec_avx2 v) {
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
TARGET_POP
#endif

#endif
