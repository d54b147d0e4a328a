/* The natural logarithm to about 68 bits. x is z 2^k; with a number of few bits next to 1/z, r = z/c - 1 is exact, and
 * log x = k log 2 + log c + log(1 + r). Around 1, c is 1 and k is 0, so that nothing cancels. */
#ifndef BRAWN_MATH_LOG_H
#define BRAWN_MATH_LOG_H

#include "bits.h"

struct log_part {
    double reciprocal, high, low;
};

extern HIDDEN const struct log_part brawn_log_table[128];

/* Where the first stretch of the table begins; one stretch lies around 1. */
#define LOG_START 0x3fe6080000000000u
#define LOG_START_FLOAT 0x3f304000u

/* log 2, with so few bits in front that k times it, plus what stands in the table, is exact; (log(1 + r) - r) / r^2
 * behind its -1/2, up to 2^-53 r. */
static const double log_constants[] = {
    0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45, 0x1.5555555555557p-2, -0x1.ffffffffffdf3p-3,
    0x1.9999999754aa4p-3, -0x1.555555a5c79d9p-3, 0x1.24951fc735265p-3, -0x1.ffb7d1a394d4bp-4,
};

struct log_place {
    double r, reciprocal, base, rest;
    int k;
};

FAST_BEGIN

INLINE struct log_place log_place(uint64_t bits) {
    const uint64_t above = bits - LOG_START;
    const struct log_part *const part = &brawn_log_table[above >> 45 & 127];
    const int k = (int)((int64_t)above >> 52);
    const double z = of_bits(bits - (above & 0xfff0000000000000u));
    const double *const c = CONSTANTS(log_constants);
    return (struct log_place){
        .r = __builtin_fma(z, part->reciprocal, -1.0),
        .reciprocal = part->reciprocal,
        .base = __builtin_fma(k, c[0], part->high),
        .rest = __builtin_fma(k, c[1], part->low),
        .k = k,
    };
}

/* (log(1 + r) - r) / r^2. */
INLINE double log_tail(double r) {
    const double *const c = CONSTANTS(log_constants), r2 = r * r;
    const double low = __builtin_fma(r, c[2], -0.5);
    const double middle = __builtin_fma(r, c[4], c[3]);
    const double high = __builtin_fma(r, c[6], c[5]);
    return __builtin_fma(r2, __builtin_fma(r2, __builtin_fma(r2, c[7], high), middle), low);
}

/* log(x + more), where `more` is less than a unit in the last place of x, whose bits these are. */
INLINE struct sum log_sum(uint64_t bits, double more) {
    const struct log_place at = log_place(bits);
    const double high = at.base + at.r;
    double low = at.base - high + at.r + at.rest;
    if (!__builtin_constant_p(more) || more != 0) {
        /* more / x, and 1/x is about (1 - r) / c 2^-k. */
        const double scale = of_bits((uint64_t)(1023 - at.k) << 52) * at.reciprocal;
        low = __builtin_fma(more * scale, 1 - at.r, low);
    }
    return (struct sum){high, __builtin_fma(at.r * at.r, log_tail(at.r), low)};
}

/* (log(1 + r) - r) / r^2 up to 2^-35, for floats. r2 is the square of r. */
INLINE double log_tail_short(double r, double r2) {
    static const double constants[] = {
        -0x1.ffffffff9690fp-2,
        0x1.55555554faf62p-2,
        -0x1.00017b6a0d9bdp-2,
        0x1.999c2406665c1p-3,
    };
    const double *const c = CONSTANTS(constants);
    const double low = __builtin_fma(r, c[1], c[0]);
    const double high = __builtin_fma(r, c[3], c[2]);
    return __builtin_fma(r2, high, low);
}

/* log x to about 2^-40 of itself. */
INLINE double log_of(double x) {
    const struct log_place at = log_place(bits_of(x));
    const double r2 = at.r * at.r;
    return at.base + __builtin_fma(r2, log_tail_short(at.r, r2), at.r + at.rest);
}

/* Of a float of these bits. */
struct log_float {
    double r;
    const struct log_part *part;
    int k;
};

INLINE struct log_float log_place_float(uint32_t bits) {
    const uint32_t above = bits - LOG_START_FLOAT;
    const uint32_t bits_z = bits - (above & 0xff800000u);
    const struct log_part *const part = &brawn_log_table[above >> 16 & 127];
#ifdef __x86_64__
    /* To widen a float takes two of the units that products need. */
    const double z = of_bits(((uint64_t)bits_z << 29) + (896ull << 52));
#else
    float z;
    __builtin_memcpy(&z, &bits_z, sizeof z);
#endif
    return (struct log_float){__builtin_fma(z, part->reciprocal, -1.0), part, (int32_t)above >> 23};
}

/* log x to about 2^-75. */
INLINE struct sum log_long(uint64_t bits) {
    const struct log_place at = log_place(bits);
    const double r = at.r, half = -0.5 * r, square = r * half, r2 = r * r;
    const double first = at.base + r, high = first + square;
    const double low =
        at.rest + (at.base - first + r) + __builtin_fma(half, r, -square) + (first - high + square);
    const double *const c = CONSTANTS(log_constants);
    const double q01 = __builtin_fma(r, c[3], c[2]);
    const double q23 = __builtin_fma(r, c[5], c[4]);
    const double q45 = __builtin_fma(r, c[7], c[6]);
    const double q = __builtin_fma(r2, __builtin_fma(r2, q45, q23), q01);
    return (struct sum){high, __builtin_fma(r2 * r, q, low)};
}

/* Whether a float is positive, normal and finite. */
INLINE int is_plain_float(uint32_t bits) {
    return LIKELY(bits - 0x00800000u < 0x7f000000u);
}

/* The same of a double. */
INLINE int is_plain(uint64_t bits) {
    return LIKELY(bits - 0x0010000000000000u < INFINITY_BITS - 0x0010000000000000u);
}

/* The logarithm of such a number, of these bits, times a factor in two parts. */
INLINE double log_times(uint64_t bits, double high, double low) {
    if (UNLIKELY(bits == ONE_BITS)) {
        return 0;
    }
    const struct sum y = log_sum(bits, 0);
    const double product = y.high * high;
    /* y.low comes last. */
    const double rest = __builtin_fma(y.high, low, __builtin_fma(y.high, high, -product));
    return product + __builtin_fma(y.low, high, rest);
}

FAST_END

#endif
