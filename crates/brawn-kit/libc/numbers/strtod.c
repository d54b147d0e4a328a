/* strtod: see decimal.h. */

#include "decimal.h"

double strtod(const char *restrict s, char **restrict end);
double __brawn_musl_strtod(const char *restrict s, char **restrict end);

static const struct form FORM = {53, -1074};

static double made(bool negative, uint64_t bits) {
    const union {
        uint64_t bits;
        double value;
    } it = {(uint64_t)negative << 63 | (uint64_t)bits};
    return it.value;
}

double strtod(const char *restrict s, char **restrict end) {
    static const double tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct decimal it;
    if (!read_decimal(s, &it)) {
        if (!it.hexadecimal) {
            return __brawn_musl_strtod(s, end);
        }
        uint64_t bits;
        const char *const behind = __brawn_hexadecimal(it.hexadecimal, rounding_of(it.negative), FORM, &bits);
        if (end) {
            *end = (char *)behind;
        }
        return made(it.negative, bits);
    }
    double result;
    if (!it.more && it.mantissa <= UINT64_C(1) << 53 && it.exponent >= -22 && it.exponent <= 22) {
        const int64_t m = (int64_t)it.mantissa;
        /* The sign comes first: directed rounding is not symmetric. But there is no -0 among the integers. */
        const double d = m ? (double)(it.negative ? -m : m) : it.negative ? -0.0 : 0.0;
        result = it.exponent < 0 ? d / tens[-it.exponent] : d * tens[it.exponent];
    } else {
        const enum rounding rounding = rounding_of(it.negative);
        uint64_t fraction, other;
        long power, other_power;
        /* With more digits the number lies between this and the next: both may be the same result. */
        if (scale(it.mantissa, it.exponent, rounding, 53, &fraction, &power) && power >= -1022 &&
            power <= 1023 &&
            (!it.more || (scale(it.mantissa + 1, it.exponent, rounding, 53, &other, &other_power) &&
                          other == fraction && other_power == power))) {
            fraction |= (uint64_t)(power + 1023) << 52;
        } else {
            /* Of its own, so that what is usual stays in registers. */
            const struct decimal copy = it;
            if (!__brawn_exact(&copy, rounding, FORM, &fraction)) {
                return __brawn_musl_strtod(s, end);
            }
        }
        result = made(it.negative, fraction);
    }
    if (end) {
        *end = (char *)it.end;
    }
    return result;
}
