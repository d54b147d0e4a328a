/* How far the results of the kit's functions are from what is exact, with the host's compiler and C library.
 *
 *   accuracy float STRIDE [NAME]    every STRIDE-th float, against the host's double
 *   accuracy double COUNT [NAME]    so many doubles, against libquadmath
 *
 * It prints each function's largest errors, of the kit's and of the host's, and fails where the kit's is more than
 * functions.h allows. A fast form leaves what is rare to musl's function, which here is the host's. */
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <quadmath.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOAT(name, most) float kit_##name##f(float);
#define FLOAT2(name, most) float kit_##name##f(float, float);
#define DOUBLE(name, most, low, high) double kit_##name(double);
#define DOUBLE2(name, most, low, high) double kit_##name(double, double);
#include "functions.h"
#undef FLOAT
#undef FLOAT2
#undef DOUBLE
#undef DOUBLE2

/* libquadmath has no power of ten. */
static __float128 exp10q(__float128 x) {
    return powq(10, x);
}

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double unit(void) {
    return (double)(next_random() >> 11) * 0x1p-53;
}

static bool failed;

static const int MODES[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

static void report(const char *name, int mode, double kit, double host, double most, double x, double y) {
    /* In other modes a result may be the neighbour on either side. */
    const bool wrong = !(kit <= (mode ? 2 * most + 0.51 : most));
    if (mode == 0 || wrong) {
        printf("%s %.5f at %a %a, host %.5f%s\n", name, kit, x, y, host, wrong ? ": TOO MUCH" : "");
        fflush(stdout);
    }
    failed |= wrong;
}

static double error_of(double got, double wanted) {
    if (isnan(wanted)) {
        return isnan(got) ? 0 : INFINITY;
    }
    /* Infinity, and all that is beyond the numbers, is the power of two behind them. */
    const double end = 0x1p128;
    got = fabs(got) > end ? copysign(end, got) : got;
    wanted = fabs(wanted) > end ? copysign(end, wanted) : wanted;
    int exponent;
    frexp(wanted, &exponent);
    exponent = exponent < -125 ? -125 : exponent;
    return ldexp(fabs(got - wanted), 24 - exponent);
}

static double error_of_double(double got, __float128 wanted) {
    if (isnanq(wanted)) {
        return isnan(got) ? 0 : INFINITY;
    }
    const __float128 end = 0x1p1024Q;
    const __float128 wide = isinf(got) ? copysignq(end, got) : got;
    wanted = fabsq(wanted) > end ? copysignq(end, wanted) : wanted;
    int exponent;
    frexpq(wanted, &exponent);
    exponent = exponent < -1021 ? -1021 : exponent;
    return (double)ldexpq(fabsq(wide - wanted), 53 - exponent);
}

static void one_float(const char *name, float kit(float), float host(float), double exact(double),
                      double most, uint64_t stride) {
    for (int mode = 0; mode < (stride > 1 ? 4 : 1); mode++) {
        double worst = 0, worst_host = 0;
        float at = 0;
        for (uint64_t bits = 0; bits < 1ull << 32; bits += stride) {
            const uint32_t half = (uint32_t)bits;
            float x;
            memcpy(&x, &half, sizeof x);
            const double wanted = exact(x);
            fesetround(MODES[mode]);
            const float got = kit(x);
            fesetround(FE_TONEAREST);
            const double error = error_of(got, wanted), of_host = error_of(host(x), wanted);
            if (!(error <= worst)) {
                worst = error;
                at = x;
            }
            worst_host = of_host > worst_host ? of_host : worst_host;
        }
        report(name, mode, worst, worst_host, most, at, 0);
    }
}

/* A float of any size, or one close to 1. */
static float any_float(void) {
    const uint32_t bits = (uint32_t)(next_random() >> 32);
    float x;
    memcpy(&x, &bits, sizeof x);
    return next_random() % 4 ? x : 1 + (float)(unit() - 0.5) * ldexpf(1, -(int)(next_random() % 24));
}

static void one_float2(const char *name, float kit(float, float), float host(float, float),
                       double exact(double, double), double most, uint64_t stride) {
    for (int mode = 0; mode < 4; mode++) {
        double worst = 0, worst_host = 0;
        float at = 0, at_y = 0;
        for (uint64_t i = 0; i < (1ull << 32) / stride; i++) {
            float x = any_float(), y = any_float();
            if (strcmp(name, "powf") == 0 && i % 2) {
                /* Results of every size. */
                x = fabsf(x);
                y = (float)((unit() * 190 - 100) / log(x));
            } else if (i % 4 == 0) {
                y = x * (float)(unit() * 8);
            }
            const double wanted = exact(x, y);
            fesetround(MODES[mode]);
            const float got = kit(x, y);
            fesetround(FE_TONEAREST);
            const double error = error_of(got, wanted), of_host = error_of(host(x, y), wanted);
            if (!(error <= worst)) {
                worst = error;
                at = x;
                at_y = y;
            }
            worst_host = of_host > worst_host ? of_host : worst_host;
        }
        report(name, mode, worst, worst_host, most, at, at_y);
    }
}

/* Within bounds, close to 1, of a size from 2^-50 to 2^9, or any. */
static double any_double(double low, double high) {
    const uint64_t bits = next_random();
    double x;
    switch (next_random() % 8) {
    case 0:
        memcpy(&x, &bits, sizeof x);
        return x;
    case 1:
        x = 1 + (unit() - 0.5) * ldexp(1, -(int)(next_random() % 52));
        return bits & 1 ? x : -x;
    case 2:
    case 3:
        x = ldexp(1 + unit(), (int)(next_random() % 60) - 50);
        return bits & 1 ? x : -x;
    default:
        return low + (high - low) * unit();
    }
}

static void one_double(const char *name, double kit(double), double host(double),
                       __float128 exact(__float128), double most, double low, double high, uint64_t count) {
    for (int mode = 0; mode < 4; mode++) {
        double worst = 0, worst_host = 0, at = 0;
        for (uint64_t i = 0; i < (mode ? count / 8 : count); i++) {
            const double x = any_double(low, high);
            const __float128 wanted = exact(x);
            fesetround(MODES[mode]);
            const double got = kit(x);
            fesetround(FE_TONEAREST);
            const double error = error_of_double(got, wanted), of_host = error_of_double(host(x), wanted);
            if (!(error <= worst)) {
                worst = error;
                at = x;
            }
            worst_host = of_host > worst_host ? of_host : worst_host;
        }
        report(name, mode, worst, worst_host, most, at, 0);
    }
}

static void one_double2(const char *name, double kit(double, double), double host(double, double),
                        __float128 exact(__float128, __float128), double most, double low, double high,
                        uint64_t count) {
    for (int mode = 0; mode < 4; mode++) {
        double worst = 0, worst_host = 0, at = 0, at_y = 0;
        for (uint64_t i = 0; i < (mode ? count / 8 : count); i++) {
            double x = any_double(low, high), y = any_double(-10, 10);
            if (strcmp(name, "pow") == 0 && i % 2) {
                x = fabs(x);
                y = (unit() * 1400 - 700) / log(x);
            } else if (i % 4 == 0) {
                y = x * unit() * 8;
            }
            const __float128 wanted = exact(x, y);
            fesetround(MODES[mode]);
            const double got = kit(x, y);
            fesetround(FE_TONEAREST);
            const double error = error_of_double(got, wanted), of_host = error_of_double(host(x, y), wanted);
            if (!(error <= worst)) {
                worst = error;
                at = x;
                at_y = y;
            }
            worst_host = of_host > worst_host ? of_host : worst_host;
        }
        report(name, mode, worst, worst_host, most, at, at_y);
    }
}

/* sinf and cosf at once, and sin and cos. */
void kit_sincosf(float, float *, float *);
void kit_sincos(double, double *, double *);
float kit_sinf(float), kit_cosf(float);
double kit_sin(double), kit_cos(double);

static void both_at_once(void) {
    for (int i = 0; i < 100000; i++) {
        const float x = any_float();
        float sine, cosine;
        kit_sincosf(x, &sine, &cosine);
        const float s = kit_sinf(x), c = kit_cosf(x);
        const double wide = any_double(-10, 10), ws = kit_sin(wide), wc = kit_cos(wide);
        double wide_sine, wide_cosine;
        kit_sincos(wide, &wide_sine, &wide_cosine);
        if ((fabsf(sine - s) > 0x1p-24f && s == s) || (fabsf(cosine - c) > 0x1p-24f && c == c) ||
            (fabs(wide_sine - ws) > 0x1p-53 && ws == ws) || (fabs(wide_cosine - wc) > 0x1p-53 && wc == wc)) {
            printf("sincos at %a or %a: TOO MUCH\n", x, wide);
            failed = true;
            return;
        }
    }
}

int main(int count, char **words) {
    if (count < 3) {
        return 2;
    }
    const uint64_t number = strtoull(words[2], NULL, 10);
    const char *only = count > 3 ? words[3] : NULL;
#define WANTED(name) (!only || strcmp(only, name) == 0)
    if (strcmp(words[1], "float") == 0) {
#define FLOAT(name, most)                                                                                    \
    if (WANTED(#name "f"))                                                                                   \
        one_float(#name "f", kit_##name##f, name##f, name, most, number);
#define FLOAT2(name, most)                                                                                   \
    if (WANTED(#name "f"))                                                                                   \
        one_float2(#name "f", kit_##name##f, name##f, name, most, number);
#include "functions.h"
    } else {
#undef FLOAT
#undef FLOAT2
#undef DOUBLE
#undef DOUBLE2
#define DOUBLE(name, most, low, high)                                                                        \
    if (WANTED(#name))                                                                                       \
        one_double(#name, kit_##name, name, name##q, most, low, high, number);
#define DOUBLE2(name, most, low, high)                                                                       \
    if (WANTED(#name))                                                                                       \
        one_double2(#name, kit_##name, name, name##q, most, low, high, number);
#include "functions.h"
        both_at_once();
    }
    return failed;
}
