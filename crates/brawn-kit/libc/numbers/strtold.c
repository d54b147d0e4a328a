/*
 * strtold for x86_64, whose long double has 64 bits: see decimal.h. Powers of ten beyond those of a double are musl's. On
 * aarch64, where a long double has 113 bits and is computed in software, all of it is.
 */

#include "decimal.h"

long double strtold(const char *restrict s, char **restrict end);
long double __brawn_musl_strtold(const char *restrict s, char **restrict end);

/* The rounding mode of the x87, by which long doubles are computed. */
static inline enum rounding rounding_of_x87(bool negative) {
    uint16_t control;
    __asm__("fnstcw %0" : "=m"(control));
    const unsigned mode = control >> 10 & 3, down = 1, up = 2;
    if (!mode) {
        return TO_NEAREST;
    }
    return mode == (negative ? down : up) ? FROM_ZERO : TO_ZERO;
}

long double strtold(const char *restrict s, char **restrict end) {
    struct decimal it;
    if (!read_decimal(s, &it)) {
        return __brawn_musl_strtold(s, end);
    }
    long double result;
    if (!it.mantissa && !it.more) {
        result = it.negative ? -0.0L : 0.0L;
    } else {
        const enum rounding rounding = rounding_of_x87(it.negative);
        uint64_t fraction, other;
        long power, other_power;
        if (!scale(it.mantissa, it.exponent, rounding, 64, &fraction, &power)) {
            /* Exact products and quotients, which lie on a border, of powers that a long double holds. */
            if (it.more || it.exponent < -27 || it.exponent > 27) {
                return __brawn_musl_strtold(s, end);
            }
            long double ten = 1, square = 10;
            for (long n = it.exponent < 0 ? -it.exponent : it.exponent; n; n >>= 1) {
                ten = n & 1 ? ten * square : ten;
                square *= square;
            }
            const long double m = it.negative ? -(long double)it.mantissa : (long double)it.mantissa;
            result = it.exponent < 0 ? m / ten : m * ten;
        } else {
            /* With more digits the number lies between this and the next: both may be the same result. */
            if (it.more && (!scale(it.mantissa + 1, it.exponent, rounding, 64, &other, &other_power) ||
                            other != fraction || other_power != power)) {
                return __brawn_musl_strtold(s, end);
            }
            union {
                struct {
                    uint64_t mantissa;
                    uint16_t exponent;
                } bits;
                long double value;
            } it_is = {.value = 0};
            it_is.bits.mantissa = UINT64_C(1) << 63 | fraction;
            it_is.bits.exponent = (uint16_t)((unsigned)it.negative << 15 | (unsigned)(power + 16383));
            result = it_is.value;
        }
    }
    if (end) {
        *end = (char *)it.end;
    }
    return result;
}
