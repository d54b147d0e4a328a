/*
 * Text to whole numbers, straight over the text: the grammar, end and errno of musl, which reads by way of a stream. TEXT is
 * the type of a character; of wide ones those that are not ASCII can only be spaces in front.
 */

#ifndef BRAWN_INTEGER_H
#define BRAWN_INTEGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))
/* Another name of a function, which a test may have given a name of its own. */
#define ALIAS_OF(old, new, ...)                                                                              \
    extern __typeof(old) new __attribute__((alias(#old), visibility("default"), ##__VA_ARGS__))
#define ALIAS(old, new) ALIAS_OF(old, new)
#define WEAK_ALIAS(old, new) ALIAS_OF(old, new, weak)

enum { INVALID = 22, OUT_OF_RANGE = 34 };

extern int *__errno_location(void);

#ifdef WIDE
typedef wchar_t TEXT;
PUBLIC int iswspace(unsigned c);

static inline uint32_t character(const wchar_t *s) {
    return (uint32_t)*s;
}

static inline bool is_space(uint32_t c) {
    return c == ' ' || c - '\t' < 5 || (c >= 0x80 && iswspace(c));
}
#else
typedef char TEXT;

static inline uint32_t character(const char *s) {
    return (unsigned char)*s;
}

static inline bool is_space(uint32_t c) {
    return c == ' ' || c - '\t' < 5;
}
#endif

/* What a digit counts in any base, or 36 and more. */
static inline uint32_t value_of(uint32_t c) {
    const uint32_t letter = (c | 32) - 'a';
    return c - '0' < 10 ? c - '0' : letter < 26 ? letter + 10 : 255;
}

/* The number's magnitude in *to; true if it is beyond 64 bits. No conversion and a bad base have an end and errno. */
static inline bool read_integer(const TEXT *s, TEXT **end, unsigned base, bool *negative, uint64_t *to) {
    const TEXT *const begin = s;
    uint32_t c, d;
    bool beyond = false;
    *negative = false;
    *to = 0;
    if (__builtin_expect(base > 36 || base == 1, 0)) {
        goto invalid;
    }
    while (is_space(c = character(s))) {
        s++;
    }
    if (c == '-' || c == '+') {
        *negative = c == '-';
        c = character(++s);
    }
    if (c == '0' && (base & ~16u) == 0) {
        if ((character(s + 1) | 32) == 'x') {
            if (value_of(character(s + 2)) >= 16) {
                /* The 0 alone is a number. */
                s++;
                goto done;
            }
            s += 2;
            c = character(s);
            base = 16;
        } else if (base == 0) {
            base = 8;
        }
    } else if (base == 0) {
        base = 10;
    }
    uint64_t x;
    /* So many digits cannot overflow in any base: 36^12 < 2^63. */
    const TEXT *const safe = s + 12;
    if (base == 10) {
        if ((d = c - '0') >= 10) {
            goto invalid;
        }
        x = d;
        while ((d = character(++s) - '0') < 10) {
            if (__builtin_expect(s >= safe, 0)) {
                beyond |= __builtin_mul_overflow(x, (uint64_t)10, &x);
                beyond |= __builtin_add_overflow(x, (uint64_t)d, &x);
            } else {
                x = x * 10 + d;
            }
        }
    } else {
        if ((d = value_of(c)) >= base) {
            goto invalid;
        }
        x = d;
        while ((d = value_of(character(++s))) < base) {
            if (__builtin_expect(s >= safe, 0)) {
                beyond |= __builtin_mul_overflow(x, (uint64_t)base, &x);
                beyond |= __builtin_add_overflow(x, (uint64_t)d, &x);
            } else {
                x = x * base + d;
            }
        }
    }
    *to = x;
done:
    if (end) {
        *end = (TEXT *)s;
    }
    return beyond;
invalid:
    *__errno_location() = INVALID;
    if (end) {
        *end = (TEXT *)begin;
    }
    return false;
}

static inline int64_t read_signed(const TEXT *s, TEXT **end, int base) {
    bool negative;
    uint64_t x;
    const bool beyond = read_integer(s, end, (unsigned)base, &negative, &x);
    if (__builtin_expect(beyond || x > (uint64_t)INT64_MAX + negative, 0)) {
        *__errno_location() = OUT_OF_RANGE;
        return negative ? INT64_MIN : INT64_MAX;
    }
    return (int64_t)(negative ? -x : x);
}

static inline uint64_t read_unsigned(const TEXT *s, TEXT **end, int base) {
    bool negative;
    uint64_t x;
    if (__builtin_expect(read_integer(s, end, (unsigned)base, &negative, &x), 0)) {
        *__errno_location() = OUT_OF_RANGE;
        return UINT64_MAX;
    }
    return negative ? -x : x;
}

#endif
