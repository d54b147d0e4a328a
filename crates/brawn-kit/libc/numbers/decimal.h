/*
 * Decimal text to binary floating point: the ways that most numbers go. What they do not settle goes to exact.c: results
 * that are not normal, numbers on the border between two results or too close to it to be told from it, hexadecimal ones.
 * Infinities, and all that long doubles leave, are musl's, which stays behind as __brawn_musl_strtod, _strtof and
 * _strtold.
 *
 * A number is m 10^q with m below 2^64. If m and the power of ten are exact as doubles, one multiplication or division is
 * correctly rounded, in the rounding mode of the moment. Otherwise m 5^q is computed to 128 bits: m 5^r is exact for the r
 * below 16, and 5^(q-r) is known to 128 bits, cut off. The product is too small by less than 2^-126 of itself, so its
 * leading bits round correctly unless those behind them are all ones, or say that it lies in the middle.
 */

#ifndef BRAWN_DECIMAL_H
#define BRAWN_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct power {
    uint64_t high, low;
};

extern const struct power __brawn_powers[42] __attribute__((visibility("hidden")));

/* What a text says: (-1)^negative mantissa 10^exponent, and a little more if digits were left out. */
struct decimal {
    uint64_t mantissa;
    long exponent;
    bool negative;
    bool more;
    const char *end;
    /* Where a number that begins with 0x begins, which is not read. */
    const char *hexadecimal;
    /* The first digit that is not zero, and how many there are from there on. */
    const char *significant;
    ptrdiff_t span;
};

static inline unsigned digit_of(char c) {
    return (unsigned)(unsigned char)c - '0';
}

/*
 * Reads a decimal number. False for all that is none, or has an exponent of more than four digits: musl's function says what
 * that is. Reads no byte behind the first that does not belong to the number.
 */
static inline bool read_decimal(const char *s, struct decimal *out) {
    while (*s == ' ' || (unsigned char)(*s - '\t') < 5) {
        s++;
    }
    out->negative = *s == '-';
    s += *s == '-' || *s == '+';
    /* 0x begins a hexadecimal number, and letters an infinity or none. */
    out->hexadecimal = NULL;
    if (*s == '0' && (s[1] | 32) == 'x') {
        out->hexadecimal = s;
        return false;
    }
    const char *const first = s;
    uint64_t mantissa = 0;
    while (*s == '0') {
        s++;
    }
    const char *significant = s;
    unsigned d;
    while ((d = digit_of(*s)) < 10) {
        /* Beyond 19 digits it wraps; then it is computed again. */
        mantissa = mantissa * 10 + d;
        s++;
    }
    const char *point = s;
    long fraction = 0;
    ptrdiff_t digits = s - first;
    if (*s == '.') {
        s++;
        const char *const begin = s;
        if (point == significant) {
            while (*s == '0') {
                s++;
            }
            significant = s;
        }
        while ((d = digit_of(*s)) < 10) {
            mantissa = mantissa * 10 + d;
            s++;
        }
        fraction = s - begin;
        digits += fraction;
    }
    if (!digits) {
        return false;
    }
    const char *const last = s;
    long exponent = -fraction;
    if ((*s | 32) == 'e') {
        const char *e = s + 1;
        const bool below = *e == '-';
        e += *e == '-' || *e == '+';
        if (digit_of(*e) < 10) {
            long value = 0;
            while (*e == '0') {
                e++;
            }
            const char *const head = e;
            while ((d = digit_of(*e)) < 10) {
                if (e - head >= 5) {
                    return false;
                }
                value = value * 10 + (long)d;
                e++;
            }
            exponent += below ? -value : value;
            s = e;
        }
    }
    out->end = s;
    out->more = false;
    const ptrdiff_t span = last - significant - (significant <= point && point < last);
    if (span > 19) {
        /* The first 19 digits, and how many places the others move the point. */
        mantissa = 0;
        int taken = 0;
        const char *at = significant;
        for (; taken < 19; at++) {
            if (*at != '.') {
                mantissa = mantissa * 10 + digit_of(*at);
                taken++;
            }
        }
        exponent += span - 19;
        out->more = true;
    }
    out->mantissa = mantissa;
    out->exponent = exponent;
    out->significant = significant;
    out->span = span;
    return true;
}

enum rounding { TO_NEAREST, TO_ZERO, FROM_ZERO };

#define HIDDEN __attribute__((visibility("hidden")))

/* In exact.c. Results have so many bits, the last of them never below 2^lowest, and come without their sign. */
struct form {
    int bits;
    long lowest;
};

/* Both set errno for what is beyond the normal numbers. False, as far as is known for no number, where 128 bits do not tell. */
HIDDEN bool __brawn_exact(const struct decimal *it, enum rounding rounding, struct form form,
                          uint64_t *result);

/* The number that begins with 0x at s: where it ends. */
HIDDEN const char *__brawn_hexadecimal(const char *s, enum rounding rounding, struct form form,
                                       uint64_t *result);

/* How a result with this sign is rounded now. */

static inline enum rounding rounding_of(bool negative) {
    /* Whether a mode goes up, down or to zero, as two bits. */
#if defined(__x86_64__)
    unsigned state;
    __asm__("stmxcsr %0" : "=m"(state));
    const unsigned mode = state >> 13 & 3, down = 1, up = 2;
#else
    uint64_t state;
    __asm__("mrs %0, fpcr" : "=r"(state));
    const unsigned mode = (unsigned)(state >> 22) & 3, up = 1, down = 2;
#endif
    if (!mode) {
        return TO_NEAREST;
    }
    return mode == (negative ? down : up) ? FROM_ZERO : TO_ZERO;
}

/*
 * The 128 leading bits of mantissa 10^exponent, cut off: the true value is up to four units of the lowest bit more. That bit
 * stands for 2^*lowest. False if it is zero or of a power that the table has not.
 */
static inline bool leading_bits(uint64_t mantissa, long exponent, unsigned __int128 *bits, long *lowest) {
    static const uint64_t fives[16] = {
        1,      5,       25,      125,      625,       3125,       15625,      78125,
        390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625, 30517578125,
    };
    if (!mantissa || exponent < -352 || exponent > 319) {
        return false;
    }
    const unsigned shifted = (unsigned)(exponent + 352);
    const struct power p = __brawn_powers[shifted / 16];
    const long k = exponent - (long)(shifted % 16);

    /* m 5^r, below 2^99, with its leading bit moved to the top: exact. */
    unsigned __int128 x = (unsigned __int128)mantissa * fives[shifted % 16];
    const uint64_t top = (uint64_t)(x >> 64);
    const int zeros = top ? __builtin_clzll(top) : 64 + __builtin_clzll((uint64_t)x);
    x <<= zeros;

    /* The upper 128 bits of the product of two numbers of 128 bits. */
    const uint64_t a = (uint64_t)(x >> 64), b = (uint64_t)x;
    const unsigned __int128 high = (unsigned __int128)a * p.high;
    const unsigned __int128 one = (unsigned __int128)a * p.low, two = (unsigned __int128)b * p.high;
    const unsigned __int128 low = (unsigned __int128)b * p.low;
    const unsigned __int128 middle = (low >> 64) + (uint64_t)one + (uint64_t)two;
    unsigned __int128 y = high + (one >> 64) + (two >> 64) + (middle >> 64);

    /* 128 bits of the product are gone, and 2^q belongs to 10^q. */
    long e = ((k * 152170) >> 16) - 127 + 128 - zeros + exponent;
    if (!(y >> 127)) {
        /* The bit that comes in from below is in the error that is allowed for. */
        y <<= 1;
        e--;
    }
    *bits = y;
    *lowest = e;
    return true;
}

/*
 * mantissa 10^exponent, rounded to `bits` bits: its bits without the leading one in *fraction and its binary exponent in
 * *power. False where that cannot be told, or the result is zero.
 */
static inline bool scale(uint64_t mantissa, long exponent, enum rounding rounding, int bits,
                         uint64_t *fraction, long *power) {
    unsigned __int128 y;
    long e;
    if (!leading_bits(mantissa, exponent, &y, &e)) {
        return false;
    }
    /* What is cut off, and where the results meet that it may be rounded to. */
    const unsigned __int128 mask = ((unsigned __int128)1 << (128 - bits)) - 1;
    const unsigned __int128 behind = y & mask, half = (unsigned __int128)1 << (127 - bits);
    const unsigned __int128 border = rounding == TO_NEAREST ? half : 0;
    /* Neither y nor four units more may lie beyond a border. */
    const bool exact_power = exponent >= 0 && exponent < 64;
    if (!exact_power && (((border - 1 - behind) & mask) <= 4 || mask - behind <= 4)) {
        return false;
    }
    if (((behind - border) & mask) <= 4) {
        return false;
    }
    const uint64_t lead = UINT64_C(1) << (bits - 1);
    uint64_t kept = (uint64_t)(y >> 64) >> (64 - bits);
    if (rounding == TO_NEAREST ? behind >= half : rounding == FROM_ZERO) {
        kept++;
        /* Of 64 bits the carry is lost. */
        if (!(kept & (lead | lead << 1))) {
            kept = lead;
            e++;
        } else if (bits < 64 && kept >> bits) {
            kept >>= 1;
            e++;
        }
    }
    *fraction = kept & (lead - 1);
    *power = e + 127;
    return true;
}

#endif
