/* The kit's functions beside musl's, at zeros, infinities, NaNs, numbers below the normal ones, borders of ranges and
 * numbers of every exponent: values, signs of zeros, and the exceptions that are raised.
 *
 *   special LEVEL    0: as this CPU is, 1: without FMA; only x86_64 knows levels
 *
 * Without FMA each answer is musl's to the bit. With FMA the values may differ by the errors of both. */
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOAT(name, most) float kit_##name##f(float);
#define FLOAT2(name, most) float kit_##name##f(float, float);
#define DOUBLE(name, most, low, high) double kit_##name(double);
#define DOUBLE2(name, most, low, high) double kit_##name(double, double);
#define EXACT(name)                                                                                          \
    double kit_##name(double);                                                                               \
    float kit_##name##f(float);
#define EXACT2(name)                                                                                         \
    double kit_##name(double, double);                                                                       \
    float kit_##name##f(float, float);
#include "functions.h"
#undef FLOAT
#undef FLOAT2
#undef DOUBLE
#undef DOUBLE2
#undef EXACT
#undef EXACT2
double exp10(double);
float exp10f(float);

double kit_fma(double, double, double);
float kit_fmaf(float, float, float);
long kit_lround(double), kit_lroundf(float);
long long kit_llround(double), kit_llroundf(float);

static bool exact_level, failed;
static long compared;

/* Inputs: those that are special, and a number of every exponent. */
static double inputs[6000];
static int count;

static void add(double x) {
    inputs[count++] = x;
    inputs[count++] = -x;
}

static void prepare(void) {
    const double special[] = {0,
                              INFINITY,
                              NAN,
                              1,
                              2,
                              3,
                              0.5,
                              1.5,
                              2.5,
                              0x1p-1074,
                              0x1p-1022,
                              0x1p-149f,
                              0x1p-126f,
                              0x1p23,
                              0x1p24,
                              0x1p31,
                              0x1p52,
                              0x1p53,
                              0x1p63,
                              0x1p64,
                              0x1p127,
                              0x1p1023,
                              88.7,
                              88.8,
                              103.9,
                              104,
                              709.7,
                              709.8,
                              745.1,
                              745.2,
                              308.2,
                              308.3,
                              323.3,
                              323.4,
                              171.6,
                              171.7,
                              35,
                              36,
                              10,
                              100,
                              1000,
                              0.499999,
                              0.500001,
                              1e300,
                              1e-300,
                              26.5,
                              27,
                              28,
                              6,
                              5.9,
                              1e15,
                              1e16,
                              4503599627370497.5};
    for (unsigned i = 0; i < sizeof special / sizeof *special; i++) {
        add(special[i]);
        add(nextafter(special[i], INFINITY));
        add(nextafter(special[i], 0));
        add(nextafterf((float)special[i], INFINITY));
        add(nextafterf((float)special[i], 0));
    }
    for (int e = -1074; e < 1024; e++) {
        inputs[count++] = ldexp(1 + (e & 7) * 0.11, e);
        inputs[count++] = ldexp(-1.7, e);
    }
}

static double distance(double a, double b, int bits, int least) {
    if (isnan(a) || isnan(b)) {
        return isnan(a) == isnan(b) ? 0 : INFINITY;
    }
    if (a == b) {
        return a == 0 && signbit(a) != signbit(b) ? INFINITY : 0;
    }
    if (isinf(a) || isinf(b)) {
        return INFINITY;
    }
    int exponent;
    frexp(b, &exponent);
    return ldexp(fabs(a - b), bits - (exponent < least ? least : exponent));
}

#define FLAGS (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT)

/* Whether exceptions are as they should be. `inexact` may be raised where a result is exact, overflow goes with infinite
 * results, and underflow with those that are tiny and inexact: musl does not always say so. */
static bool same_flags(int kit, int musl, double result, bool tiny, bool same, bool rounding) {
    if (kit == musl || same || rounding) {
        return kit == musl;
    }
    if ((kit ^ musl) & (FE_INVALID | FE_DIVBYZERO)) {
        return false;
    }
    if (isinf(result) ? (musl & ~kit & FE_OVERFLOW) : (kit & FE_OVERFLOW)) {
        return false;
    }
    return tiny || !(kit & FE_UNDERFLOW);
}

static void check(const char *name, double x, double y, double kit, double musl, int kit_flags,
                  int musl_flags, bool wide, double most, bool rounding) {
    const double off = distance(kit, musl, wide ? 53 : 24, wide ? -1021 : -125);
    const double size = fabs(kit);
    const bool tiny = size <= (wide ? 0x1p-1022 : 0x1p-126);
    /* These need no FMA, or do without. */
    const bool own = strcmp(name, "hypotf") == 0 || strncmp(name, "fmod", 4) == 0 ||
                     strncmp(name, "remainder", 9) == 0 || strcmp(name, "sinf") == 0 ||
                     strcmp(name, "cosf") == 0;
    const bool same = exact_level && !own;
    if (!exact_level && strcmp(name, "acosh") == 0 && x < 1 && isnan(kit) && kit_flags == FE_INVALID) {
        /* musl's acosh gives numbers far below 0 a logarithm. */
        return;
    }
    compared++;
    if (!(off <= (same ? 0 : most)) || !same_flags(kit_flags, musl_flags, kit, tiny, same, rounding)) {
        static int shown;
        failed = true;
        if (shown++ < 60) {
            printf("%s of %a, %a: %a and %x, musl %a and %x, %g off\n", name, x, y, kit, kit_flags, musl,
                   musl_flags, off);
        }
    }
}

#define COMPARE(name, type, call_kit, call_musl, x, y, wide, most, rounding)                                 \
    do {                                                                                                     \
        feclearexcept(FE_ALL_EXCEPT);                                                                        \
        volatile type kit_ = (type)(call_kit);                                                               \
        const int kit_flags_ = fetestexcept(FLAGS);                                                          \
        feclearexcept(FE_ALL_EXCEPT);                                                                        \
        volatile type musl_ = (type)(call_musl);                                                             \
        const int musl_flags_ = fetestexcept(FLAGS);                                                         \
        check(name, x, y, (double)kit_, (double)musl_, kit_flags_, musl_flags_, wide, most, rounding);       \
    } while (0)

#define EACH for (int i = 0; i < count; i++)
#define EACH2                                                                                                \
    for (int i = 0; i < count; i += i < 500 ? 1 : 41)                                                        \
        for (int j = 0; j < count; j += j < 500 ? 3 : 67)

/* musl's errors, which add to the kit's. */
#define OF_MUSL 7

int main(int words, char **word) {
    prepare();
#if defined(__x86_64__)
    extern unsigned char __brawn_math_level;
    if (words > 1 && atoi(word[1]) == 1) {
        __brawn_math_level = 1;
        exact_level = true;
    }
#else
    (void)words;
    (void)word;
#endif
#define FLOAT(name, most)                                                                                    \
    EACH {                                                                                                   \
        volatile float x = (float)inputs[i];                                                                 \
        COMPARE(#name "f", float, kit_##name##f(x), name##f(x), x, 0, false, most + OF_MUSL, false);         \
    }
#define FLOAT2(name, most)                                                                                   \
    EACH2 {                                                                                                  \
        volatile float x = (float)inputs[i], y = (float)inputs[j];                                           \
        COMPARE(#name "f", float, kit_##name##f(x, y), name##f(x, y), x, y, false, most + OF_MUSL, false);   \
    }
#define DOUBLE(name, most, low, high)                                                                        \
    EACH {                                                                                                   \
        volatile double x = inputs[i];                                                                       \
        COMPARE(#name, double, kit_##name(x), name(x), x, 0, true, most + OF_MUSL, false);                   \
    }
#define DOUBLE2(name, most, low, high)                                                                       \
    EACH2 {                                                                                                  \
        volatile double x = inputs[i], y = inputs[j];                                                        \
        COMPARE(#name, double, kit_##name(x, y), name(x, y), x, y, true, most + OF_MUSL, false);             \
    }
#if defined(__x86_64__)
#define EXACT(name)                                                                                          \
    EACH for (int mode = 0; mode < 4; mode++) {                                                              \
        static const int MODES[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};                    \
        fesetround(MODES[mode]);                                                                             \
        volatile double x = inputs[i];                                                                       \
        volatile float xf = (float)inputs[i];                                                                \
        COMPARE(#name, double, kit_##name(x), name(x), x, 0, true, 0, true);                                 \
        COMPARE(#name "f", float, kit_##name##f(xf), name##f(xf), xf, 0, false, 0, true);                    \
        fesetround(FE_TONEAREST);                                                                            \
    }
#else
/* There these are instructions, and musl's functions. */
#define EXACT(name)
#endif
#define EXACT2(name)                                                                                         \
    EACH2 {                                                                                                  \
        volatile double x = inputs[i], y = inputs[j];                                                        \
        volatile float xf = (float)x, yf = (float)y;                                                         \
        COMPARE(#name, double, kit_##name(x, y), name(x, y), x, y, true, 0, false);                          \
        COMPARE(#name "f", float, kit_##name##f(xf, yf), name##f(xf, yf), xf, yf, false, 0, false);          \
    }
#include "functions.h"
#if defined(__x86_64__)
    EACH {
        volatile double x = inputs[i];
        volatile float xf = (float)x;
        COMPARE("lround", long, kit_lround(x), lround(x), x, 0, true, 0, true);
        COMPARE("llround", long long, kit_llround(x), llround(x), x, 0, true, 0, true);
        COMPARE("lroundf", long, kit_lroundf(xf), lroundf(xf), x, 0, true, 0, true);
        COMPARE("llroundf", long long, kit_llroundf(xf), llroundf(xf), x, 0, true, 0, true);
    }
    EACH2 {
        volatile double x = inputs[i], y = inputs[j], z = inputs[(i + j) % count];
        volatile float xf = (float)x, yf = (float)y, zf = (float)z;
        if (isnan(z)) {
            /* Whether an infinity times zero raises an exception besides is open. */
            continue;
        }
        COMPARE("fma", double, kit_fma(x, y, z), fma(x, y, z), x, y, true, 0, false);
        COMPARE("fmaf", float, kit_fmaf(xf, yf, zf), fmaf(xf, yf, zf), x, y, false, 0, false);
    }
#endif
    printf("%ld compared\n", compared);
    return failed;
}
