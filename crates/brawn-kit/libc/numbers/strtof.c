/* strtof: see decimal.h. */

#include "decimal.h"

float strtof(const char *restrict s, char **restrict end);
float __brawn_musl_strtof(const char *restrict s, char **restrict end);

static const struct form FORM = {24, -149};

static float made(bool negative, uint64_t bits) {
    const union {
        uint32_t bits;
        float value;
    } it = {(uint32_t)negative << 31 | (uint32_t)bits};
    return it.value;
}

float strtof(const char *restrict s, char **restrict end) {
    static const float tens[11] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
    struct decimal it;
    if (!read_decimal(s, &it)) {
        if (!it.hexadecimal) {
            return __brawn_musl_strtof(s, end);
        }
        uint64_t bits;
        const char *const behind = __brawn_hexadecimal(it.hexadecimal, rounding_of(it.negative), FORM, &bits);
        if (end) {
            *end = (char *)behind;
        }
        return made(it.negative, bits);
    }
    float result;
    if (!it.more && it.mantissa <= UINT64_C(1) << 24 && it.exponent >= -10 && it.exponent <= 10) {
        const int32_t m = (int32_t)it.mantissa;
        const float d = m ? (float)(it.negative ? -m : m) : it.negative ? -0.0f : 0.0f;
        result = it.exponent < 0 ? d / tens[-it.exponent] : d * tens[it.exponent];
    } else {
        const enum rounding rounding = rounding_of(it.negative);
        uint64_t fraction, other;
        long power, other_power;
        /* With more digits the number lies between this and the next: both may be the same result. */
        if (scale(it.mantissa, it.exponent, rounding, 24, &fraction, &power) && power >= -126 &&
            power <= 127 &&
            (!it.more || (scale(it.mantissa + 1, it.exponent, rounding, 24, &other, &other_power) &&
                          other == fraction && other_power == power))) {
            fraction |= (uint64_t)(power + 127) << 23;
        } else {
            /* Of its own, so that what is usual stays in registers. */
            const struct decimal copy = it;
            if (!__brawn_exact(&copy, rounding, FORM, &fraction)) {
                return __brawn_musl_strtof(s, end);
            }
        }
        result = made(it.negative, fraction);
    }
    if (end) {
        *end = (char *)it.end;
    }
    return result;
}
