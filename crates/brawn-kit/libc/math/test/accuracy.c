/* How far the results of the kit's functions are from what is exact, with the host's compiler and C library.
 *
 *   accuracy float STRIDE [NAME]    every STRIDE-th float
 *   accuracy double COUNT [NAME]    so many doubles
 *
 * It prints each function's largest errors, of the kit's and of the host's, and fails where the kit's is more than
 * functions.h allows. A fast form leaves what is rare to musl's function, which here is the host's; where musl's
 * functions are linked in too, with musl_ before their names, their errors are printed as well.
 *
 * A result is held against the host's function of the next wider type. Where that leaves open whether the error is the
 * largest so far, libquadmath decides. Only x86_64 has that: elsewhere it is floats alone. */
#define _GNU_SOURCE
#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <quadmath.h>
typedef __float128 quad;
#define QUAD(name) name##q
#else
typedef long double quad;
#define QUAD(name) name
#endif

/* Every function is called with two doubles: a float is one, and the second may not count. */
struct row {
    const char *name;
    int digits; /* 24 in a float, 53 in a double */
    bool two;
    double most, low, high;
    double (*kit)(double, double), (*host)(double, double), (*musl)(double, double);
    long double (*wide)(double, double);
    quad (*exact)(double, double);
};

#if defined(__x86_64__)
/* libquadmath has no power of ten. */
static quad exp10q(quad x) {
    return powq(10, x);
}
#endif

#define CALL(type, name, function, ...)                                                                      \
    static type name(double x, double y) {                                                                   \
        (void)y;                                                                                             \
        return function(__VA_ARGS__);                                                                        \
    }
#define CALLS(type, name, next, parameters, ...)                                                             \
    type kit_##name parameters;                                                                              \
    __attribute__((weak)) type musl_##name parameters;                                                       \
    CALL(double, call_kit_##name, kit_##name, __VA_ARGS__)                                                   \
    CALL(double, call_host_##name, name, __VA_ARGS__)                                                        \
    CALL(double, call_musl_##name, musl_##name, __VA_ARGS__)                                                 \
    CALL(long double, call_wide_##name, next, __VA_ARGS__)
#define FLOAT(name, most)                                                                                    \
    CALLS(float, name##f, name, (float), (float)x)                                                           \
    CALL(quad, call_quad_##name##f, QUAD(name), x)
#define FLOAT2(name, most)                                                                                   \
    CALLS(float, name##f, name, (float, float), (float)x, (float)y)                                          \
    CALL(quad, call_quad_##name##f, QUAD(name), x, y)
#define DOUBLE(name, most, low, high)                                                                        \
    CALLS(double, name, name##l, (double), x)                                                                \
    CALL(quad, call_quad_##name, QUAD(name), x)
#define DOUBLE2(name, most, low, high)                                                                       \
    CALLS(double, name, name##l, (double, double), x, y)                                                     \
    CALL(quad, call_quad_##name, QUAD(name), x, y)
#include "functions.h"
#undef FLOAT
#undef FLOAT2
#undef DOUBLE
#undef DOUBLE2

#define ROW(name, digits, two, most, low, high)                                                              \
    {#name,                                                                                                  \
     digits,                                                                                                 \
     two,                                                                                                    \
     most,                                                                                                   \
     low,                                                                                                    \
     high,                                                                                                   \
     call_kit_##name,                                                                                        \
     call_host_##name,                                                                                       \
     musl_##name ? call_musl_##name : NULL,                                                                  \
     call_wide_##name,                                                                                       \
     call_quad_##name},
#define FLOAT(name, most) ROW(name##f, 24, false, most, 0, 0)
#define FLOAT2(name, most) ROW(name##f, 24, true, most, 0, 0)
#define DOUBLE(name, most, low, high) ROW(name, 53, false, most, low, high)
#define DOUBLE2(name, most, low, high) ROW(name, 53, true, most, low, high)

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double unit(void) {
    return (double)(next_random() >> 11) * 0x1p-53;
}

/* A float of any size, or one close to 1. */
static float any_float(void) {
    const uint32_t bits = (uint32_t)(next_random() >> 32);
    float x;
    memcpy(&x, &bits, sizeof x);
    return next_random() % 4 ? x : 1 + (float)(unit() - 0.5) * ldexpf(1, -(int)(next_random() % 24));
}

/* Within bounds, close to 1, of a size from 2^-50 to 2^9, or any; close to a number of few digits, where tables change
 * from one entry to the next, or to a multiple of pi/4. */
static double any_double(double low, double high) {
    uint64_t bits = next_random();
    double x;
    switch (next_random() % 16) {
    case 0:
    case 1:
        memcpy(&x, &bits, sizeof x);
        return x;
    case 2:
    case 3:
        x = 1 + (unit() - 0.5) * ldexp(1, -(int)(next_random() % 52));
        return bits & 1 ? x : -x;
    case 4:
    case 5:
    case 6:
        x = ldexp(1 + unit(), (int)(next_random() % 60) - 50);
        return bits & 1 ? x : -x;
    case 7:
        x = low + (high - low) * unit();
        memcpy(&bits, &x, sizeof x);
        bits = (bits & ~0ull << (40 + next_random() % 10)) + next_random() % 9 - 4;
        memcpy(&x, &bits, sizeof x);
        return x;
    case 8:
        x = (double)((long double)(next_random() >> (44 + next_random() % 20)) *
                     (3.14159265358979323846264338327950288L / 4));
        memcpy(&bits, &x, sizeof x);
        bits += next_random() % 9 - 4;
        memcpy(&x, &bits, sizeof x);
        return x;
    default:
        return low + (high - low) * unit();
    }
}

static void choose(const struct row *row, uint64_t i, uint64_t stride, double *x, double *y) {
    if (row->digits == 24 && !row->two) {
        const uint32_t bits = (uint32_t)(i * stride);
        float value;
        memcpy(&value, &bits, sizeof value);
        *x = value;
        return;
    }
    const bool power = row->two && i % 2 && row->name[0] == 'p';
    if (row->digits == 24) {
        *x = any_float(), *y = any_float();
    } else {
        *x = any_double(row->low, row->high), *y = row->two ? any_double(-10, 10) : 0;
    }
    if (power) {
        /* Results of every size. */
        *x = fabs(*x);
        *y = (row->digits == 24 ? unit() * 190 - 100 : unit() * 1460 - 750) / log(*x);
    } else if (row->two && i % 4 == 0) {
        *y = *x * unit() * 8;
    }
    if (row->digits == 24) {
        *x = (float)*x, *y = (float)*y;
    }
}

/* In units of the last place. Infinity, and all that is beyond the numbers, is the power of two behind them. */
#define ERROR(type, fabs, isnan, frexp, ldexp)                                                               \
    if (isnan(wanted)) {                                                                                     \
        return got != got ? 0 : INFINITY;                                                                    \
    }                                                                                                        \
    const int last = digits == 24 ? 128 : 1024;                                                              \
    const type end = ldexp((type)1, last);                                                                   \
    type wide = got;                                                                                         \
    wide = wide > end ? end : wide < -end ? -end : wide;                                                     \
    wanted = wanted > end ? end : wanted < -end ? -end : wanted;                                             \
    int exponent;                                                                                            \
    frexp(wanted, &exponent);                                                                                \
    exponent = exponent < 3 - last ? 3 - last : exponent;                                                    \
    return (double)ldexp(fabs(wide - wanted), digits - exponent);

static double error_of_rare(double got, long double wanted, int digits) {
    ERROR(long double, fabsl, isnan, frexpl, ldexpl)
}

static double error_of_quad(double got, quad wanted, int digits) {
#if defined(__x86_64__)
    ERROR(__float128, fabsq, isnanq, frexpq, ldexpq)
#else
    return error_of_rare(got, wanted, digits);
#endif
}

/* The same, with the exponent taken from the bits where wanted is neither very small nor very large. */
static double error_of(double got, long double wanted, int digits) {
    const double near = (double)wanted, last = digits == 24 ? 0x1p127 : 0x1p1023, size = __builtin_fabs(near);
    if (!(size < last && size > 4 / last && __builtin_fabs(got) < last)) {
        return error_of_rare(got, wanted, digits);
    }
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    /* A wanted number just below a power of two may round up to it, which makes its unit too large. */
    double power = 0;
    const bool up = !(bits & ~0ull >> 12) && __builtin_fabsl(wanted) < size;
    const int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023 - up - (digits - 1);
    if (exponent < -1020) {
        return error_of_rare(got, wanted, digits);
    }
    bits = (uint64_t)(1023 - exponent) << 52;
    memcpy(&power, &bits, sizeof power);
    return (double)__builtin_fabsl(got - wanted) * power;
}

static const int MODES[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

/* The largest error, and where. */
struct worst {
    double error, x, y;
};

static inline void judge(const struct row *row, double got, long double wanted, double x, double y,
                         struct worst *worst, int mode) {
    /* How far the wider type's function may be off, in units of this one. */
    const double margin = row->digits == 24 ? 1e-6 : 0.01;
    if (error_of(got, wanted, row->digits) < worst->error - margin) {
        return;
    }
    const double error = error_of_quad(got, row->exact(x, y), row->digits);
    if (mode >= 0 && error > row->most && row->musl) {
        /* What is left to musl's function is as far off as that is. */
        fesetround(MODES[mode]);
        const double of_musl = row->musl(x, y);
        fesetround(FE_TONEAREST);
        if (got == of_musl) {
            return;
        }
    }
    if (!(error <= worst->error)) {
        *worst = (struct worst){error, x, y};
    }
}

static bool failed;

#define BLOCK 256

static void one(const struct row *row, int mode, uint64_t count, uint64_t stride) {
    /* An error of a tenth every function has somewhere. */
    struct worst kit = {0.1, 0, 0}, host = kit, musl = kit;
    for (uint64_t first = 0; first < count; first += BLOCK) {
        const unsigned many = count - first < BLOCK ? (unsigned)(count - first) : BLOCK;
        /* The others' errors are only there to be compared. */
        const bool others = mode == 0 && (first / BLOCK % 16 == 0 || count < 1 << 20);
        double x[BLOCK], y[BLOCK], got[BLOCK];
        for (unsigned i = 0; i < many; i++) {
            y[i] = 0;
            choose(row, first + i, stride, &x[i], &y[i]);
        }
        fesetround(MODES[mode]);
        for (unsigned i = 0; i < many; i++) {
            got[i] = row->kit(x[i], y[i]);
        }
        fesetround(FE_TONEAREST);
        for (unsigned i = 0; i < many; i++) {
            const long double wanted = row->wide(x[i], y[i]);
            judge(row, got[i], wanted, x[i], y[i], &kit, mode);
            if (others) {
                judge(row, row->host(x[i], y[i]), wanted, x[i], y[i], &host, -1);
            }
            if (others && row->musl) {
                judge(row, row->musl(x[i], y[i]), wanted, x[i], y[i], &musl, -1);
            }
        }
    }
    /* In other modes a result may be the neighbour on either side. */
    const bool wrong = !(kit.error <= (mode ? 2 * row->most + 0.51 : row->most));
    failed |= wrong;
    if (mode == 0 || wrong) {
        printf("%s %.5f at %a %a, host %.5f", row->name, kit.error, kit.x, kit.y, host.error);
        if (row->musl) {
            printf(", musl %.5f at %a %a", musl.error, musl.x, musl.y);
        }
        puts(wrong ? ": TOO MUCH" : "");
        fflush(stdout);
    }
}

/* sinf and cosf at once, and sin and cos. */
void kit_sincosf(float, float *, float *);
void kit_sincos(double, double *, double *);

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

/* Of parts that a fast form takes, each within two units of the product of its factors; of others, as the host's. */
_Complex double kit_cexp(_Complex double);

static bool near(double a, double b) {
    return (a != a && b != b) || (a == b && signbit(a) == signbit(b)) || fabs(a - b) <= 0x1p-51 * fabs(b);
}

static void complex_exponential(void) {
    static const double special[] = {0,   -0.0, 1,    -1,        0x1p-30,  699.9,
                                     701, -740, 1e10, -INFINITY, INFINITY, NAN};
    const int specials = sizeof special / sizeof *special;
    for (int i = 0; i < 100000 + specials * specials; i++) {
        const bool plain = i < 100000;
        const int rest = plain ? 0 : i - 100000;
        _Complex double z;
        __real__ z = plain ? any_double(-20, 20) : special[rest / specials];
        __imag__ z = plain ? any_double(-10, 10) : special[rest % specials];
        const _Complex double got = kit_cexp(z);
        _Complex double wanted = cexp(z);
        if (plain && fabs(__real__ z) < 700) {
            const double scale = exp(__real__ z);
            __real__ wanted = scale * kit_cos(__imag__ z);
            __imag__ wanted = scale * kit_sin(__imag__ z);
        }
        if (!near(__real__ got, __real__ wanted) || !near(__imag__ got, __imag__ wanted)) {
            printf("cexp of %a and %a: TOO MUCH\n", __real__ z, __imag__ z);
            failed = true;
            return;
        }
    }
}

int main(int count, char **words) {
    if (count < 3) {
        return 2;
    }
    const struct row rows[] = {
#include "functions.h"
    };
    const int digits = strcmp(words[1], "float") == 0 ? 24 : 53;
    const uint64_t number = strtoull(words[2], NULL, 10);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        if (row->digits != digits || (count > 3 && strcmp(words[3], row->name) != 0)) {
            continue;
        }
        const bool all = digits == 24 && !row->two;
        for (int mode = 0; mode < (all && number == 1 ? 1 : 4); mode++) {
            const uint64_t many = digits == 24 ? (1ull << 32) / number : number;
            one(row, mode, mode && digits == 53 ? many / 8 : many, number);
        }
    }
    if (digits == 53) {
        both_at_once();
        complex_exponential();
    }
    return failed;
}
