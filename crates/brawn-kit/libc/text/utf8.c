/* Runs of UTF-8: __brawn_utf8_take by what the processor has, and __brawn_utf8_put. */

#include "text.h"

#if defined(__x86_64__)
#include <tmmintrin.h>
#endif

#define BRAWN_TAKE_STEPS(name) BRAWN_TAKE_STEPS_(name)
#define BRAWN_TAKE_STEPS_(name) name##_steps
#define BRAWN_PUT_EIGHT(name) BRAWN_PUT_EIGHT_(name)
#define BRAWN_PUT_EIGHT_(name) name##_eight

/* Which bytes of four halves to keep, by which halves to keep. */
#define AT(n) 2 * (n), 2 * (n) + 1
#define NO 0xff, 0xff
static const uint8_t KEPT[16][8] = {
    {NO, NO, NO, NO},          {AT(0), NO, NO, NO},
    {AT(1), NO, NO, NO},       {AT(0), AT(1), NO, NO},
    {AT(2), NO, NO, NO},       {AT(0), AT(2), NO, NO},
    {AT(1), AT(2), NO, NO},    {AT(0), AT(1), AT(2), NO},
    {AT(3), NO, NO, NO},       {AT(0), AT(3), NO, NO},
    {AT(1), AT(3), NO, NO},    {AT(0), AT(1), AT(3), NO},
    {AT(2), AT(3), NO, NO},    {AT(0), AT(2), AT(3), NO},
    {AT(1), AT(2), AT(3), NO}, {AT(0), AT(1), AT(2), AT(3)},
};

/* Which bytes of four characters of up to two bytes to keep, by which are ASCII. */
static const uint8_t FULL[16][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7},          {0, 2, 3, 4, 5, 6, 7, 0xff},
    {0, 1, 2, 4, 5, 6, 7, 0xff},       {0, 2, 4, 5, 6, 7, 0xff, 0xff},
    {0, 1, 2, 3, 4, 6, 7, 0xff},       {0, 2, 3, 4, 6, 7, 0xff, 0xff},
    {0, 1, 2, 4, 6, 7, 0xff, 0xff},    {0, 2, 4, 6, 7, 0xff, 0xff, 0xff},
    {0, 1, 2, 3, 4, 5, 6, 0xff},       {0, 2, 3, 4, 5, 6, 0xff, 0xff},
    {0, 1, 2, 4, 5, 6, 0xff, 0xff},    {0, 2, 4, 5, 6, 0xff, 0xff, 0xff},
    {0, 1, 2, 3, 4, 6, 0xff, 0xff},    {0, 2, 3, 4, 6, 0xff, 0xff, 0xff},
    {0, 1, 2, 4, 6, 0xff, 0xff, 0xff}, {0, 2, 4, 6, 0xff, 0xff, 0xff, 0xff},
};

/* For both halves of a vector, from one of these tables. */
INLINE v8 which(const uint8_t table[16][8], unsigned mask) {
    const v64 v = {*(const any_u64 *)table[mask & 15],
                   *(const any_u64 *)table[mask >> 4 & 15] | UINT64_C(0x0808080808080808)};
    return (v8)v;
}

/* How many of the lower four bits are set. */
INLINE unsigned four(unsigned mask) {
    return (unsigned)(UINT64_C(0x4332322132212110) >> (4 * (mask & 15))) & 7;
}

INLINE v64 upper(v64 v) {
    return v >> 32 << 32;
}

/* Four characters, most with two bytes, as words of up to three bytes each, without the gaps in each two of them. */
INLINE v64 up_to_three(v32 c) {
    const v8 above_7f = (v8)(c > words(0x7f)), above_7ff = (v8)(c > words(0x7ff));
    const v32 last = (c & 0x3f) | 0x80, middle = (c >> 6 & 0x3f) | 0x80;
    const v32 two = c >> 6 | 0xc0 | last << 8;
    const v32 three = c >> 12 | 0xe0 | middle << 8 | last << 16;
    const v8 word = choose(above_7ff, (v8)three, choose(above_7f, (v8)two, (v8)c));
    v64 high = upper((v64)word) >> 8;
    const v8 first_7ff = (v8)__builtin_shufflevector((v32)above_7ff, (v32)above_7ff, 0, 0, 2, 2);
    const v8 first_7f = (v8)__builtin_shufflevector((v32)above_7f, (v32)above_7f, 0, 0, 2, 2);
    high = (v64)choose(first_7ff, (v8)high, (v8)(high >> 8));
    high = (v64)choose(first_7f, (v8)high, (v8)(high >> 8));
    return ((v64)word << 32 >> 32) | high;
}

#if defined(__x86_64__)

/* Characters of up to two bytes each, without the gaps in each four of them. */
INLINE v64 up_to_two(v8 v, v8 ascii) {
    /* In each word the second to the first, where that has one byte: its other byte is 0. */
    const v8 first = (v8)((s32)((v32)ascii << 16) >> 16);
    const v32 word = (v32)choose(first, (v8)(((v32)v & 0xff) | (v32)v >> 8), v);
    /* In each two words the second to the first. */
    const v8 one = (v8)__builtin_shufflevector((v16)ascii, (v16)ascii, 0, 0, 0, 0, 4, 4, 4, 4);
    const v8 two = (v8)__builtin_shufflevector((v16)ascii, (v16)ascii, 1, 1, 1, 1, 5, 5, 5, 5);
    v64 high = upper((v64)word);
    high = (v64)choose(one, (v8)(high >> 8), (v8)high);
    high = (v64)choose(two, (v8)(high >> 8), (v8)high);
    return ((v64)word << 32 >> 32) | high;
}

/* Moves the characters that are not to be dropped to the front of their half of the vector. */
INLINE v16 gather_by_shifts(v16 v, v16 drop) {
    v &= ~drop;
    /* In each word, the second to the place of the first if that is dropped. */
    const v32 first = (v32)((s32)((v32)drop << 16) >> 16);
    const v32 x = (v32)choose((v8)first, (v8)((v32)v >> 16), (v8)v);
    /* In each two words, the second to what is left of the first. */
    const v8 one = (v8)__builtin_shufflevector(drop, drop, 0, 0, 0, 0, 4, 4, 4, 4);
    const v8 two = (v8)__builtin_shufflevector(drop, drop, 1, 1, 1, 1, 5, 5, 5, 5);
    v64 high = (v64)x >> 32 << 32;
    high = (v64)choose(one, (v8)(high >> 16), (v8)high);
    high = (v64)choose(two, (v8)(high >> 16), (v8)high);
    return (v16)((v64)x << 32 >> 32 | high);
}

#define TAKE take_sse2
#define TAKE_TARGET
#define TAKE_GATHER(v, drop, keep) gather_by_shifts(v, drop)
#define PUT put_sse2
#define PUT_TARGET
#define PUT_GATHER(v, ascii, masks) up_to_two(v, ascii)
#include "take.h"
#include "put.h"
#undef TAKE
#undef TAKE_TARGET
#undef TAKE_GATHER
#undef PUT
#undef PUT_TARGET
#undef PUT_GATHER

#define TAKE take_avx2
#define TAKE_TARGET __attribute__((target("avx2,bmi,bmi2")))
#define TAKE_GATHER(v, drop, keep)                                                                           \
    ((void)(drop), (v16)_mm_shuffle_epi8((__m128i)(v), (__m128i)which(KEPT, keep)))
#define PUT put_avx2
#define PUT_TARGET TAKE_TARGET
#define PUT_GATHER(v, ascii, masks) ((v64)_mm_shuffle_epi8((__m128i)(v), (__m128i)which(FULL, masks)))
#include "take.h"
#include "put.h"

/* What the string functions of the program know, if it has them: the level (2 is AVX2, 3 AVX-512, 0 not known yet), or by what
 * is there only in a program for processors that have AVX2. */
extern HIDDEN __attribute__((weak)) unsigned char __brawn_string_level;
HIDDEN __attribute__((weak)) unsigned __brawn_string_detect(void);
extern HIDDEN __attribute__((weak)) const char __brawn_start_line[];

INLINE unsigned level(void) {
    if (&__brawn_string_level == NULL) {
        return __brawn_start_line != NULL ? 2 : 1;
    }
    const unsigned known = __atomic_load_n(&__brawn_string_level, __ATOMIC_RELAXED);
    return LIKELY(known != 0) ? known : __brawn_string_detect();
}

#include "take_avx512.h"

size_t __brawn_utf8_take(const uint8_t **from, const uint8_t *end, uint16_t *to, size_t room, bool nul) {
    switch (level()) {
    case 1:
        return take_sse2(from, end, to, room, nul);
    case 2:
        return take_avx2(from, end, to, room, nul);
    default:
        return take_avx512(from, end, to, room, nul);
    }
}

uint8_t *__brawn_utf8_put(const uint16_t *from, size_t n, uint8_t *to) {
    return level() > 1 ? put_avx2(from, n, to) : put_sse2(from, n, to);
}

#else

#define TAKE take_neon
#define TAKE_TARGET
#define TAKE_GATHER(v, drop, keep)                                                                           \
    ((void)(drop), (v16)vqtbl1q_u8((uint8x16_t)(v), (uint8x16_t)which(KEPT, keep)))
#define PUT put_neon
#define PUT_TARGET
#define PUT_GATHER(v, ascii, masks) ((v64)vqtbl1q_u8((uint8x16_t)(v), (uint8x16_t)which(FULL, masks)))
#include "take.h"
#include "put.h"

size_t __brawn_utf8_take(const uint8_t **from, const uint8_t *end, uint16_t *to, size_t room, bool nul) {
    return take_neon(from, end, to, room, nul);
}

uint8_t *__brawn_utf8_put(const uint16_t *from, size_t n, uint8_t *to) {
    return put_neon(from, n, to);
}

#endif
