/*
 * What conversions share: runs of UTF-8 in vectors, by way of 16-bit characters in a buffer of the caller's. What is in no such
 * run, as characters beyond U+FFFF, what is not valid and what lies at an end, is converted one by one.
 */
#ifndef BRAWN_TEXT_H
#define BRAWN_TEXT_H

#include "vectors.h"

#include <wchar.h>

#define BRAWN_E2BIG 7
#define BRAWN_EINVAL 22
#define BRAWN_EILSEQ 84

int *__errno_location(void);
size_t __ctype_get_mb_cur_max(void);

/* Characters in a buffer. */
enum { CHUNK = 512 };
/* What a step of `take` reads: 16 bytes and what may follow the first of the last character. */
enum { TAKE_BYTES = 18 };
/* Characters that are converted one by one before the next run is looked for: past the end of a page. */
enum { ONE_BY_ONE = 20 };

/* Decodes UTF-8 from *from on to `to`, or only counts where that is NULL. Stops at what is not valid or beyond U+FFFF, at a null
 * character if `nul`, less than TAKE_BYTES before `end` and with less than 16 characters of room. */
HIDDEN size_t __brawn_utf8_take(const uint8_t **from, const uint8_t *end, uint16_t *to, size_t room,
                                bool nul);

/* Encodes n characters, none a surrogate, and writes nothing behind them. The end. */
HIDDEN uint8_t *__brawn_utf8_put(const uint16_t *from, size_t n, uint8_t *to);

/* Characters of UTF-8 as words, up to one that is null or n, and up to `end`, if that is not NULL. How many; -1 with errno set where
 * they are not valid. *from is where it ended, NULL after a null character. */
HIDDEN size_t __brawn_utf8_widen(uint32_t *to, const uint8_t **from, size_t n, const uint8_t *end);

enum { INVALID = -1, PARTIAL = -2 };

/* The length of the first character in n bytes, n > 0. It is read byte by byte. */
INLINE int decode_one(const uint8_t *s, size_t n, uint32_t *c) {
    const unsigned b = s[0];
    if (b < 0x80) {
        *c = b;
        return 1;
    }
    if (b - 0xc2 > 0xf4 - 0xc2) {
        return INVALID;
    }
    if (n < 2) {
        return PARTIAL;
    }
    const unsigned low = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
    const unsigned high = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
    if (s[1] - low > high - low) {
        return INVALID;
    }
    if (b < 0xe0) {
        *c = (b & 0x1f) << 6 | (s[1] & 0x3f);
        return 2;
    }
    if (n < 3) {
        return PARTIAL;
    }
    if ((s[2] & 0xc0) != 0x80) {
        return INVALID;
    }
    if (b < 0xf0) {
        *c = (b & 0xf) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3f);
        return 3;
    }
    if (n < 4) {
        return PARTIAL;
    }
    if ((s[3] & 0xc0) != 0x80) {
        return INVALID;
    }
    *c = (b & 7) << 18 | (s[1] & 0x3fu) << 12 | (s[2] & 0x3fu) << 6 | (s[3] & 0x3f);
    return 4;
}

/* The length of a character, or INVALID. */
INLINE int encoded_length(uint32_t c) {
    return c < 0x80    ? 1
           : c < 0x800 ? 2
           : c - 0xd800 < 0x800 || c - 0x10000 >= 0x100000
               ? (c < 0x10000 && c - 0xd800 >= 0x800 ? 3 : INVALID)
               : 4;
}

INLINE void encode_one(uint8_t *to, uint32_t c, int length) {
    switch (length) {
    case 1:
        to[0] = (uint8_t)c;
        return;
    case 2:
        to[0] = (uint8_t)(0xc0 | c >> 6);
        break;
    case 3:
        to[0] = (uint8_t)(0xe0 | c >> 12);
        to[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        break;
    default:
        to[0] = (uint8_t)(0xf0 | c >> 18);
        to[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        to[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    }
    to[length - 1] = (uint8_t)(0x80 | (c & 0x3f));
}

static inline size_t invalid(void) {
    *__errno_location() = BRAWN_EILSEQ;
    return (size_t)-1;
}

/* 16-bit characters as words. */
INLINE void widen(const uint16_t *from, size_t n, uint32_t *to, bool swap) {
    for (size_t i = 0; n >= 8;) {
        v16 v = (v16)load(from + i);
        if (swap) {
            v = swap_halves(v);
        }
        const v16 none = halves(0);
        store(to + i, (v8)(swap ? LOW_HALVES(none, v) : LOW_HALVES(v, none)));
        store(to + i + 4, (v8)(swap ? HIGH_HALVES(none, v) : HIGH_HALVES(v, none)));
        if (i == n - 8) {
            return;
        }
        /* The last eight may overlap those before. */
        i = i + 8 <= n - 8 ? i + 8 : n - 8;
    }
    for (size_t i = 0; i < n; i++) {
        ((any_u32 *)to)[i] = swap ? __builtin_bswap32(from[i]) : from[i];
    }
}

/* The end of the page that a byte lies in: until there any byte can be read if that one can. */
INLINE const uint8_t *page_end(const void *p) {
    return (const uint8_t *)(((uintptr_t)p | 4095) + 1);
}

#endif
