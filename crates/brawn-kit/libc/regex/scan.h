/* Looks for bytes sixteen at a time, without a read in a page that the text does not reach. */
#ifndef BRAWN_REGEX_SCAN_H
#define BRAWN_REGEX_SCAN_H

#include "machine.h"

typedef uint8_t block __attribute__((vector_size(16)));
typedef uint8_t loose_block __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t halves __attribute__((vector_size(16)));

INLINE block load(const char *p) {
    return *(const loose_block *)p;
}

INLINE block filled(unsigned byte) {
    return (block){0} + (uint8_t)byte;
}

#if defined(__SSE2__)
#include <emmintrin.h>
/* Bits of the lanes that are set, LANE of them each. */
enum { LANE = 1 };
INLINE uint64_t lanes(block test) {
    return (uint64_t)(unsigned)_mm_movemask_epi8((__m128i)test);
}
#else
enum { LANE = 4 };
INLINE uint64_t lanes(block test) {
    typedef uint16_t eight __attribute__((vector_size(16)));
    typedef uint8_t half __attribute__((vector_size(8)));
    const half narrow = __builtin_convertvector((eight)test >> 4, half);
    return ((union {
               half of;
               uint64_t bits;
           }){narrow})
        .bits;
}
#endif

INLINE bool page_ends(const char *p, unsigned within) {
    return ((uintptr_t)p & 4095) > 4096 - within;
}

INLINE block in_ranges(block bytes, const struct filter *filter) {
    block found = (block)(bytes - filled(filter->low[0]) <= filled(filter->span[0]));
    for (unsigned i = 1; i < filter->ranges; i++) {
        found |= (block)(bytes - filled(filter->low[i]) <= filled(filter->span[i]));
    }
    return found;
}

/*
 * The first place from p on where a match can begin, or before it; not behind the text's end nor, with `wide`, behind a
 * character that is not ASCII.
 */
INLINE const char *find_begin(const struct machine *machine, const char *p, bool wide) {
    const struct filter *one = &machine->filter[0], *two = &machine->filter[machine->filters - 1];
    const block high = filled(wide ? 0x80 : 0);
    for (;;) {
        if (__builtin_expect(!page_ends(p, 16 + LEVELS), 1)) {
            const block bytes = load(p);
            const block stop = (block)(bytes == 0) | (block)((bytes & high) != 0);
            const block found = in_ranges(load(p + one->offset), one) & in_ranges(load(p + two->offset), two);
            const uint64_t at = lanes(stop | found);
            if (__builtin_expect(at == 0, 1)) {
                p += 16;
                continue;
            }
            return p + __builtin_ctzll(at) / LANE;
        }
        for (unsigned i = 0; i < 16; i++, p++) {
            const unsigned c = (unsigned char)*p;
            if (c == 0 || (wide && c >= 0x80) || (c < 0x80 && machine->begin[c / 64] >> c % 64 & 1)) {
                return p;
            }
        }
    }
}

/* The first of the characters that lead out of a loop, the end of the text or, with `wide`, one that is not ASCII. */
INLINE const char *find_exit(const struct state *state, const char *p, bool wide) {
    const unsigned one = state->exits > 0 ? state->exit[0] : 0, two = state->exits > 1 ? state->exit[1] : one,
                   three = state->exits > 2 ? state->exit[2] : one;
    const block high = filled(wide ? 0x80 : 0), first = filled(one), second = filled(two),
                third = filled(three);
    for (;;) {
        if (__builtin_expect(!page_ends(p, 16), 1)) {
            const block bytes = load(p);
            const block found = (block)(bytes == 0) | (block)((bytes & high) != 0) | (block)(bytes == first) |
                                (block)(bytes == second) | (block)(bytes == third);
            const uint64_t at = lanes(found);
            if (at == 0) {
                p += 16;
                continue;
            }
            return p + __builtin_ctzll(at) / LANE;
        }
        for (unsigned i = 0; i < 16; i++, p++) {
            const unsigned c = (unsigned char)*p;
            if (c == 0 || (wide && c >= 0x80) || c == one || c == two || c == three) {
                return p;
            }
        }
    }
}

/* Does the text end soon, with nothing but ASCII up to there? */
INLINE bool ends_in_ascii(const char *p) {
    for (const char *const most = p + 512; p < most && !page_ends(p, 16); p += 16) {
        const block bytes = load(p);
        const uint64_t high = lanes((block)((bytes & filled(0x80)) != 0)), end = lanes((block)(bytes == 0));
        if ((high | end) != 0) {
            return end != 0 && (high == 0 || __builtin_ctzll(end) < __builtin_ctzll(high));
        }
    }
    return false;
}

/* The character at p, which is not ASCII, in UTF-8, and its length; 0 for none. */
INLINE unsigned decode(const char *p, unsigned *character) {
    const unsigned char *s = (const unsigned char *)p;
    const unsigned first = s[0], second = s[1];
    if (first < 0xc2 || first > 0xf4 || (second & 0xc0) != 0x80) {
        return 0;
    }
    if (first < 0xe0) {
        *character = (first & 31) << 6 | (second & 63);
        return 2;
    }
    if ((s[2] & 0xc0) != 0x80) {
        return 0;
    }
    if (first < 0xf0) {
        *character = (first & 15) << 12 | (second & 63) << 6 | (s[2] & 63);
        return *character < 0x800 || *character - 0xd800 < 0x800 ? 0 : 3;
    }
    if ((s[3] & 0xc0) != 0x80) {
        return 0;
    }
    *character = (first & 7) << 18 | (second & 63) << 12 | (s[2] & 63) << 6 | (s[3] & 63);
    return *character < 0x10000 || *character > 0x10ffff ? 0 : 4;
}

/* Behind the characters at p that are not ASCII. */
INLINE const char *past_long(const char *p) {
    unsigned character, length;
    while ((signed char)*p < 0 && (length = decode(p, &character)) != 0) {
        p += length;
    }
    return p;
}

/* The character before p. */
INLINE const char *before(const char *p, bool wide) {
    p--;
    while (wide && (*p & 0xc0) == 0x80) {
        p--;
    }
    return p;
}

#endif
