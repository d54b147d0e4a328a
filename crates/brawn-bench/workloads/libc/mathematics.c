// Mathematics. Results are held against the same function of the next wider type, in units of the last place; calls do
// not wait for each other.

#define _GNU_SOURCE
#include <complex.h>
#include <math.h>

#include "rows.h"

enum { INPUTS = 1024 };

// Numbers from 0 to 1, and others for second operands.
static double units[INPUTS], others[INPUTS];
static volatile double sink;

static void prepare(void) {
    uint64_t seed = 7;
    for (int i = 0; i < INPUTS; i++) {
        units[i] = (double)(next_random(&seed) >> 11) * 0x1p-53;
        others[i] = (double)(next_random(&seed) >> 11) * 0x1p-53;
    }
}

// The distance of a result with so many bits from a wider one.
static double distance(long double got, long double wanted, int precision, int lowest) {
    int exponent;
    if (got == wanted || (isnan(got) && isnan(wanted)))
        return 0;
    frexpl(wanted, &exponent);
    exponent = exponent < lowest ? lowest : exponent;
    return (double)fabsl((got - wanted) / ldexpl(1, exponent - precision));
}

#define KEEP(worst, got, wanted, precision, lowest)                                                          \
    do {                                                                                                     \
        double off = distance(got, wanted, precision, lowest);                                               \
        worst = !(off <= worst) ? off : worst;                                                               \
    } while (0)

#define RATE(name, type, expression)                                                                         \
    static uint64_t work_##name(uint64_t times) {                                                            \
        double sum = 0;                                                                                      \
        for (uint64_t i = 0; i < times; i++) {                                                               \
            type x = (type)units[i % INPUTS], y = (type)others[i % INPUTS];                                  \
            (void)y;                                                                                         \
            sum += (double)(expression);                                                                     \
        }                                                                                                    \
        sink = sum;                                                                                          \
        return 0;                                                                                            \
    }

#define SPREAD(value, low, high) ((low) + ((high) - (low)) * (value))

// double NAME(double), at numbers between two
#define DOUBLE(name, low, high)                                                                              \
    RATE(name, double, name(SPREAD(x, low, high)))                                                           \
    static double ulps_##name(void) {                                                                        \
        double worst = 0;                                                                                    \
        for (int i = 0; i < INPUTS; i++) {                                                                   \
            double x = SPREAD(units[i], low, high);                                                          \
            KEEP(worst, name(x), name##l(x), 53, -1021);                                                     \
        }                                                                                                    \
        return worst;                                                                                        \
    }

#define DOUBLE2(name, low, high, other_low, other_high)                                                      \
    RATE(name, double, name(SPREAD(x, low, high), SPREAD(y, other_low, other_high)))                         \
    static double ulps_##name(void) {                                                                        \
        double worst = 0;                                                                                    \
        for (int i = 0; i < INPUTS; i++) {                                                                   \
            double x = SPREAD(units[i], low, high), y = SPREAD(others[i], other_low, other_high);            \
            KEEP(worst, name(x, y), name##l(x, y), 53, -1021);                                               \
        }                                                                                                    \
        return worst;                                                                                        \
    }

// float NAMEf(float)
#define FLOAT(name, low, high)                                                                               \
    RATE(name##f, float, name##f(SPREAD(x, low##f, high##f)))                                                \
    static double ulps_##name##f(void) {                                                                     \
        double worst = 0;                                                                                    \
        for (int i = 0; i < INPUTS; i++) {                                                                   \
            float x = SPREAD((float)units[i], low##f, high##f);                                              \
            KEEP(worst, name##f(x), name(x), 24, -125);                                                      \
        }                                                                                                    \
        return worst;                                                                                        \
    }

#define FLOAT2(name, low, high, other_low, other_high)                                                       \
    RATE(name##f, float, name##f(SPREAD(x, low##f, high##f), SPREAD(y, other_low##f, other_high##f)))        \
    static double ulps_##name##f(void) {                                                                     \
        double worst = 0;                                                                                    \
        for (int i = 0; i < INPUTS; i++) {                                                                   \
            float x = SPREAD((float)units[i], low##f, high##f);                                              \
            float y = SPREAD((float)others[i], other_low##f, other_high##f);                                 \
            KEEP(worst, name##f(x, y), name(x, y), 24, -125);                                                \
        }                                                                                                    \
        return worst;                                                                                        \
    }

// double complex NAME(double complex)
#define COMPLEX(name)                                                                                        \
    RATE(name, double, creal(name(CMPLX(4 * x - 2, 4 * y - 2))))                                             \
    static double ulps_##name(void) {                                                                        \
        double worst = 0;                                                                                    \
        for (int i = 0; i < INPUTS; i++) {                                                                   \
            double x = 4 * units[i] - 2, y = 4 * others[i] - 2;                                              \
            long double complex wanted = name##l(CMPLXL(x, y));                                              \
            /* Of the whole, not of each part: a part may be tiny beside the other. */                       \
            long double off = cabsl((long double complex)name(CMPLX(x, y)) - wanted) / cabsl(wanted);        \
            worst = !(off * 0x1p53L <= worst) ? (double)(off * 0x1p53L) : worst;                             \
        }                                                                                                    \
        return worst;                                                                                        \
    }

DOUBLE(sin, -10.0, 10.0)
DOUBLE(cos, -10.0, 10.0)
DOUBLE(tan, -10.0, 10.0)
DOUBLE(asin, -1.0, 1.0)
DOUBLE(acos, -1.0, 1.0)
DOUBLE(atan, -10.0, 10.0)
DOUBLE(sinh, -5.0, 5.0)
DOUBLE(cosh, -5.0, 5.0)
DOUBLE(tanh, -5.0, 5.0)
DOUBLE(asinh, -10.0, 10.0)
DOUBLE(acosh, 1.0, 10.0)
DOUBLE(atanh, -0.99, 0.99)
DOUBLE(exp, -20.0, 20.0)
DOUBLE(exp2, -20.0, 20.0)
DOUBLE(expm1, -2.0, 2.0)
DOUBLE(log, 0.01, 100.0)
DOUBLE(log2, 0.01, 100.0)
DOUBLE(log10, 0.01, 100.0)
DOUBLE(log1p, -0.5, 10.0)
DOUBLE(sqrt, 0.0, 100.0)
DOUBLE(cbrt, -100.0, 100.0)
DOUBLE(erf, -3.0, 3.0)
DOUBLE(erfc, -3.0, 5.0)
DOUBLE(tgamma, 0.5, 20.0)
DOUBLE(lgamma, 3.0, 50.0)
DOUBLE(floor, -100.0, 100.0)
DOUBLE(ceil, -100.0, 100.0)
DOUBLE(trunc, -100.0, 100.0)
DOUBLE(round, -100.0, 100.0)
DOUBLE(rint, -100.0, 100.0)
DOUBLE(nearbyint, -100.0, 100.0)
DOUBLE(lround, -100.0, 100.0)
DOUBLE(llrint, -100.0, 100.0)
DOUBLE(logb, 0.001, 100.0)
DOUBLE2(pow, 0.1, 10.0, -10.0, 10.0)
DOUBLE2(atan2, -10.0, 10.0, -10.0, 10.0)
DOUBLE2(hypot, -10.0, 10.0, -10.0, 10.0)
DOUBLE2(fmod, -1000.0, 1000.0, 0.5, 10.0)
DOUBLE2(fmax, -10.0, 10.0, -10.0, 10.0)
FLOAT(sin, -10.0, 10.0)
FLOAT(cos, -10.0, 10.0)
FLOAT(tan, -10.0, 10.0)
FLOAT(asin, -1.0, 1.0)
FLOAT(atan, -10.0, 10.0)
FLOAT(sinh, -5.0, 5.0)
FLOAT(tanh, -5.0, 5.0)
FLOAT(exp, -20.0, 20.0)
FLOAT(exp2, -20.0, 20.0)
FLOAT(log, 0.01, 100.0)
FLOAT(log2, 0.01, 100.0)
FLOAT(log10, 0.01, 100.0)
FLOAT(sqrt, 0.0, 100.0)
FLOAT(cbrt, -100.0, 100.0)
FLOAT(erf, -3.0, 3.0)
FLOAT(floor, -100.0, 100.0)
FLOAT(round, -100.0, 100.0)
FLOAT2(pow, 0.1, 10.0, -10.0, 10.0)
FLOAT2(atan2, -10.0, 10.0, -10.0, 10.0)
FLOAT2(hypot, -10.0, 10.0, -10.0, 10.0)
FLOAT2(fmod, -1000.0, 1000.0, 0.5, 10.0)
COMPLEX(cexp)
COMPLEX(clog)
COMPLEX(csqrt)
COMPLEX(csin)

RATE(cabs, double, cabs(CMPLX(x, y)))
RATE(fma, double, fma(x, y, 0.5))
RATE(fmaf, float, fmaf(x, y, 0.5f))
RATE(expl, long double, expl(x))
RATE(logl, long double, logl(x + 0.1L))

// The product is exact in the wider type; its sum is rounded once more, which may cost a little over half a unit.
static double ulps_fma(void) {
    double worst = 0;
    for (int i = 0; i < INPUTS; i++)
        KEEP(worst, fma(units[i], others[i], 0.5), fmal(units[i], others[i], 0.5L), 53, -1021);
    return worst;
}

static double ulps_fmaf(void) {
    double worst = 0;
    for (int i = 0; i < INPUTS; i++) {
        float x = (float)units[i], y = (float)others[i];
        KEEP(worst, fmaf(x, y, 0.5f), (double)x * y + 0.5, 24, -125);
    }
    return worst;
}

static double ulps_cabs(void) {
    double worst = 0;
    for (int i = 0; i < INPUTS; i++)
        KEEP(worst, cabs(CMPLX(units[i], others[i])), hypotl(units[i], others[i]), 53, -1021);
    return worst;
}

static double sine_and_cosine(double x) {
    double sine, cosine;
    sincos(x, &sine, &cosine);
    return sine + cosine;
}

RATE(sincos, double, sine_and_cosine(SPREAD(x, -10.0, 10.0)))

static double ulps_sincos(void) {
    double worst = 0;
    for (int i = 0; i < INPUTS; i++) {
        double x = SPREAD(units[i], -10.0, 10.0), sine, cosine;
        sincos(x, &sine, &cosine);
        KEEP(worst, sine, sinl(x), 53, -1021);
        KEEP(worst, cosine, cosl(x), 53, -1021);
    }
    return worst;
}

// Held against the narrower type, in its units.
static double ulps_expl(void) {
    double worst = 0;
    for (int i = 0; i < INPUTS; i++)
        KEEP(worst, exp(units[i]), expl(units[i]), 53, -1021);
    return worst;
}

static double ulps_logl(void) {
    double worst = 0;
    for (int i = 0; i < INPUTS; i++)
        KEEP(worst, log(units[i] + 0.125), logl(units[i] + 0.125), 53, -1021);
    return worst;
}

static uint64_t exact(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        int exponent;
        double part = frexp(SPREAD(units[i % INPUTS], -100, 100), &exponent), whole;
        sum = mix(sum, bits(ldexp(part, exponent + 3)));
        sum = mix(sum, bits(modf(part * 1e3, &whole)));
    }
    return sum;
}

// Exact, and musl's `remainderl` is wrong where `long double` has 128 bits.
static uint64_t call_remainder(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, bits(remainder(SPREAD(units[i % INPUTS], -1000, 1000), 0.5 + others[i % INPUTS])));
    return sum;
}

static const struct row ROWS[] = {
    {"sin", work_sin, 1, QUICK, ulps_sin, 1},
    {"cos", work_cos, 1, 0, ulps_cos, 1},
    {"tan", work_tan, 1, 0, ulps_tan, 1},
    {"asin", work_asin, 1, 0, ulps_asin, 1},
    {"acos", work_acos, 1, 0, ulps_acos, 1},
    {"atan", work_atan, 1, 0, ulps_atan, 1},
    {"atan2", work_atan2, 1, 0, ulps_atan2, 2},
    {"sinh", work_sinh, 1, 0, ulps_sinh, 2},
    {"cosh", work_cosh, 1, 0, ulps_cosh, 2},
    {"tanh", work_tanh, 1, 0, ulps_tanh, 3},
    {"asinh", work_asinh, 1, 0, ulps_asinh, 2},
    {"acosh", work_acosh, 1, 0, ulps_acosh, 3},
    {"atanh", work_atanh, 1, 0, ulps_atanh, 2},
    {"exp", work_exp, 1, QUICK, ulps_exp, 1},
    {"exp2", work_exp2, 1, 0, ulps_exp2, 1},
    {"expm1", work_expm1, 1, 0, ulps_expm1, 1},
    {"log", work_log, 1, 0, ulps_log, 1},
    {"log2", work_log2, 1, 0, ulps_log2, 1},
    {"log10", work_log10, 1, 0, ulps_log10, 2},
    {"log1p", work_log1p, 1, 0, ulps_log1p, 1},
    {"pow", work_pow, 1, QUICK, ulps_pow, 1},
    {"sqrt", work_sqrt, 1, 0, ulps_sqrt, 0.501},
    {"cbrt", work_cbrt, 1, 0, ulps_cbrt, 4},
    {"hypot", work_hypot, 1, 0, ulps_hypot, 1},
    {"fma", work_fma, 1, QUICK, ulps_fma, 0.501},
    {"fmod", work_fmod, 1, 0, ulps_fmod, 0},
    {"remainder", call_remainder, INPUTS},
    {"erf", work_erf, 1, 0, ulps_erf, 1},
    {"erfc", work_erfc, 1, 0, ulps_erfc, 4},
    {"tgamma", work_tgamma, 1, 0, ulps_tgamma, 6},
    {"lgamma", work_lgamma, 1, 0, ulps_lgamma, 3},
    {"floor", work_floor, 1, 0, ulps_floor, 0},
    {"ceil", work_ceil, 1, 0, ulps_ceil, 0},
    {"trunc", work_trunc, 1, 0, ulps_trunc, 0},
    {"round", work_round, 1, 0, ulps_round, 0},
    {"rint", work_rint, 1, 0, ulps_rint, 0},
    {"nearbyint", work_nearbyint, 1, 0, ulps_nearbyint, 0},
    {"lround", work_lround, 1, 0, ulps_lround, 0},
    {"llrint", work_llrint, 1, 0, ulps_llrint, 0},
    {"logb", work_logb, 1, 0, ulps_logb, 0},
    {"fmax", work_fmax, 1, 0, ulps_fmax, 0},
    {"frexp-ldexp-modf", exact, INPUTS},
    {"sincos", work_sincos, 1, 0, ulps_sincos, 1},
    {"sinf", work_sinf, 1, QUICK, ulps_sinf, 1},
    {"cosf", work_cosf, 1, 0, ulps_cosf, 1},
    {"tanf", work_tanf, 1, 0, ulps_tanf, 1},
    {"asinf", work_asinf, 1, 0, ulps_asinf, 1},
    {"atanf", work_atanf, 1, 0, ulps_atanf, 1},
    {"atan2f", work_atan2f, 1, 0, ulps_atan2f, 2},
    {"sinhf", work_sinhf, 1, 0, ulps_sinhf, 2},
    {"tanhf", work_tanhf, 1, 0, ulps_tanhf, 3},
    {"expf", work_expf, 1, 0, ulps_expf, 1},
    {"exp2f", work_exp2f, 1, 0, ulps_exp2f, 1},
    {"logf", work_logf, 1, 0, ulps_logf, 1},
    {"log2f", work_log2f, 1, 0, ulps_log2f, 1},
    {"log10f", work_log10f, 1, 0, ulps_log10f, 2},
    {"powf", work_powf, 1, 0, ulps_powf, 1},
    {"sqrtf", work_sqrtf, 1, 0, ulps_sqrtf, 0.501},
    {"cbrtf", work_cbrtf, 1, 0, ulps_cbrtf, 1},
    {"hypotf", work_hypotf, 1, 0, ulps_hypotf, 1},
    {"fmaf", work_fmaf, 1, 0, ulps_fmaf, 0.501},
    {"fmodf", work_fmodf, 1, 0, ulps_fmodf, 0},
    {"erff", work_erff, 1, 0, ulps_erff, 1},
    {"floorf", work_floorf, 1, 0, ulps_floorf, 0},
    {"roundf", work_roundf, 1, 0, ulps_roundf, 0},
    {"expl", work_expl, 1, 0, ulps_expl, 1},
    {"logl", work_logl, 1, 0, ulps_logl, 1},
    {"cabs", work_cabs, 1, 0, ulps_cabs, 1},
    {"cexp", work_cexp, 1, 0, ulps_cexp, 2},
    {"clog", work_clog, 1, 0, ulps_clog, 8},
    {"csqrt", work_csqrt, 1, 0, ulps_csqrt, 4},
    {"csin", work_csin, 1, 0, ulps_csin, 4},
};

const struct group mathematics_group = GROUP("mathematics", prepare, ROWS);
