/*
 * The kit's strtod and strtof, and strtold where it has one, beside the C library's: value to the bit, end, errno, in every rounding mode. Built with
 * -Dstrtod=kit_strtod for the kit's files, whose musl behind them is the library's here.
 *
 * answers COUNT [nearest]: texts of sixteen kinds, so many in all, in every rounding mode or in the usual one. answers floats STEP: every STEPth float, printed and read back.
 */

#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double kit_strtod(const char *s, char **end);
float kit_strtof(const char *s, char **end);
long double kit_strtold(const char *s, char **end);
double __brawn_musl_strtod(const char *s, char **end);
float __brawn_musl_strtof(const char *s, char **end);
long double __brawn_musl_strtold(const char *s, char **end);

static long behind;

double __brawn_musl_strtod(const char *s, char **end) {
    behind++;
    return strtod(s, end);
}

float __brawn_musl_strtof(const char *s, char **end) {
    behind++;
    return strtof(s, end);
}

long double __brawn_musl_strtold(const char *s, char **end) {
    behind++;
    return strtold(s, end);
}

static uint64_t state = 88172645463325252;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static long wrong;

#if defined(__x86_64__)
static void same_long(const char *text) {
    char *end, *our_end;
    errno = 0;
    const long double value = strtold(text, &end);
    const int error = errno;
    errno = 0;
    const long double ours = kit_strtold(text, &our_end);
    /* Ten of its bytes count. */
    const int equal = (value != value && ours != ours) || !memcmp(&value, &ours, 10);
    if ((!equal || end != our_end || error != errno) && wrong++ < 20) {
        printf("'%s' in mode %d: %La to %td errno %d, not %La to %td errno %d\n", text, fegetround(), ours,
               our_end - text, errno, value, end - text, error);
    }
}
#else
static void same_long(const char *text) {
    (void)text;
}
#endif

/*
 * Of hexadecimal numbers below the normal ones glibc does not see all that is cut off (0x1.0602b5p-128 as a float), and musl
 * rounds them twice, and loses their sign with the last bit: hexadecimal() tells for these.
 */
static int errs(const char *text, double size, double least) {
    return size <= least && strpbrk(text, "xX");
}

/*
 * glibc finds some numbers below the normal ones that are rounded to the least of those out of range; musl does not. musl
 * does not say of hexadecimal numbers, nor of all decimal ones, that they are, where POSIX has it.
 */
static int same_error(const char *text, int error, int ours, double size, double least, double greatest) {
#ifdef __GLIBC__
    (void)greatest;
    return error == ours || (error == ERANGE && size == least) || errs(text, size, least);
#else
    (void)text;
    return error == ours || (ours == ERANGE && error == 0 && (size < least || size >= greatest));
#endif
}

static void same(const char *text) {
    same_long(text);
    char *end, *our_end;
    errno = 0;
    const double d = strtod(text, &end);
    const int error = errno;
    errno = 0;
    const double our_d = kit_strtod(text, &our_end);
    const int our_error = errno;
    errno = 0;
    const float f = strtof(text, NULL);
    const int f_error = errno;
    errno = 0;
    const float our_f = kit_strtof(text, NULL);
    const int our_f_error = errno;
    const int nan = d != d && our_d != our_d && f != f && our_f != our_f;
    const double size = our_d < 0 ? -our_d : our_d, f_size = our_f < 0 ? -our_f : our_f;
    const int equal = nan || ((!memcmp(&d, &our_d, sizeof d) || errs(text, size, DBL_MIN)) &&
                              (!memcmp(&f, &our_f, sizeof f) || errs(text, f_size, FLT_MIN)));
    if (!equal || end != our_end || !same_error(text, error, our_error, size, DBL_MIN, DBL_MAX) ||
        !same_error(text, f_error, our_f_error, f_size, FLT_MIN, FLT_MAX)) {
        if (wrong++ < 20) {
            printf("'%s' in mode %d: %a %a to %td errno %d %d, not %a %a to %td errno %d %d\n", text,
                   fegetround(), our_d, (double)our_f, our_end - text, our_error, our_f_error, d, (double)f,
                   end - text, error, f_error);
        }
    }
}

static const char *const written[] = {
    "0",
    "-0",
    "1",
    "  +1.5e3x",
    "1e",
    "1e+",
    "1.e5",
    ".5",
    ".",
    "-.",
    "",
    "-",
    "+",
    "e5",
    "0x1p3",
    "0x",
    "0x.8",
    "-0X1.8P-1",
    "inf",
    "nan",
    "-infinity",
    "infinit",
    "nan(12)",
    "1e400",
    "-1e400",
    "1e-400",
    "4.9e-324",
    "2.5e-324",
    "2.4e-324",
    "2.2250738585072014e-308",
    "2.2250738585072011e-308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "9007199254740993",
    "9007199254740992",
    "9007199254740993.0",
    "9007199254740991.5",
    "9007199254740991.50000000000000000000001",
    "16777215.5",
    "16777215.50000000000000000001",
    "0x1.fffffffffffff8p0",
    "0x1.fffffffffffffcp-5",
    "0x1.ffffffp3",
    "-0x1.fffffffffffff7ffffffffp0",
    "0x1.fffffffffffff8p1023",
    "0x0.00000000000000000000000000000000001p4",
    "0x0p5",
    "0x.p1",
    "0x1p",
    "0x1p+",
    "0x1.8.8",
    "9007199254740993.00000000000000000000000000000000001",
    "100000000000000016777215",
    "00000000000000000000000000001.5",
    "0.00000000000000000000000000000000000001",
    "123456789012345678901234567890",
    "1.00000005960464477539062500",
    "16777217",
    "16777217.0000000000000000000001",
    "1e00000000000000000000005",
    "1e99999",
    "1e100000000000",
    "1e-100000000000",
    "0e99999",
    "0.0e5",
    "000",
    "1..5",
    "1e5.5",
    "5e-1e",
    "18446744073709551615",
    "18446744073709551616",
    "9999999999999999999",
    "99999999999999999999",
    "9999999999999999999e300",
    "0.1e-5",
    "8.5e22",
    "1e22",
    "1e23",
    "-1e23",
    "\t\n\v\f\r 7",
    "\0107",
    "1E5",
    "1E-5",
    "1d5",
    "3.4028235e38",
    "3.4028236e38",
    "1.1754943e-38",
    "1.17549429e-38",
    "1e-45",
    "0.7e-45",
    "1,5",
    "1_0",
    "1e-7 ",
    "--1",
};

/* One text of every kind in turn. */
static void make(char *text, size_t size, long i) {
    const uint64_t bits = next();
    double d;
    float f, g;
    memcpy(&d, &bits, sizeof d);
    uint32_t half = (uint32_t)bits;
    memcpy(&f, &half, sizeof f);
    half++;
    memcpy(&g, &half, sizeof g);
    const unsigned long long big = bits, odd = (bits >> 11) | 1;
    const int exponent = (int)(next() % 700) - 350;
    switch (i % 16) {
    case 0:
        snprintf(text, size, "%.17g", d);
        break;
    case 1:
        snprintf(text, size, "%.16g", d);
        break;
    case 2:
        snprintf(text, size, "%.25g", d);
        break;
    case 3:
        snprintf(text, size, "%.9g", (double)f);
        break;
    case 4:
        snprintf(text, size, "%llu.%llu", big >> 40, (unsigned long long)next() >> 30);
        break;
    case 5:
        snprintf(text, size, "%llue%d", big, exponent);
        break;
    /* Halfway between two doubles, or close by. */
    case 6:
        snprintf(text, size, "%llue%d", odd * 2 + 1, exponent / 12);
        break;
    /* Exactly halfway between two floats. */
    case 7:
        snprintf(text, size, "%.60g", ((double)f + (double)g) / 2);
        break;
    case 8:
        snprintf(text, size, "%s%d.%03d", i % 5 ? "" : "-", (int)(bits % 1000), (int)(next() % 1000));
        break;
    case 9:
        snprintf(text, size, "-%.*f", (int)(bits % 30), (double)(int64_t)bits / 1e9);
        break;
    case 10:
        snprintf(text, size, "%.19e", d);
        break;
    /* The middle of two doubles to its last digit, and as far from it as the next digit or one that is far behind. */
    case 11: {
        const int power = next() % 4 ? (int)(next() % 2046) : (int)(next() % 4);
        const uint64_t one_bits = (uint64_t)power << 52 | bits >> 12, two_bits = one_bits + 1;
        double one, two;
        memcpy(&one, &one_bits, sizeof one);
        memcpy(&two, &two_bits, sizeof two);
        if (next() % 4 == 0) {
            /* Or a power of two, where the numbers below have more bits behind the point. */
            const uint64_t leading_alone = (uint64_t)power << 52;
            memcpy(&one, &leading_alone, sizeof one);
            two = one;
        }
        const int length = snprintf(text, size - 400, "%.*Le", i % 2 ? 770 : (int)(next() % 60) + 17,
                                    ((long double)one + (long double)two) / 2);
        char *const e = strchr(text, 'e');
        char behind_it[16];
        snprintf(behind_it, sizeof behind_it, "%s", e ? e : "");
        if (e && length > 20) {
            const size_t zeros = next() % 300;
            switch (next() % 4) {
            case 0:
                e[-1] = (char)('0' + next() % 10);
                break;
            case 1:
                memset(e, '0', zeros);
                snprintf(e + zeros, 20, "%d%s", (int)(next() % 2), behind_it);
                break;
            case 2:
                e[-(int)(next() % 17) - 1] ^= 1;
            }
        }
        break;
    }
    /* Below the normal ones, of either kind. */
    case 14:
        snprintf(text, size, "%.*e", (int)(next() % 25), (double)(int64_t)bits);
        sprintf(strchr(text, 'e'), "e-%d", (int)(next() % 2 ? next() % 30 + 298 : next() % 16 + 34));
        break;
    case 12:
        snprintf(text, size, "%.*a", (int)(next() % 20), d);
        break;
    case 13: {
        static const char *const heads[] = {"0x", "0X", "-0x", " +0x"};
        static const char digits[] = "0123456789abcdefABCDEF00000000888fff";
        size_t at = (size_t)sprintf(text, "%s", heads[next() % 4]);
        const size_t length = next() % 40, point = next() % 50;
        for (size_t k = 0; k < length; k++) {
            if (k == point) {
                text[at++] = '.';
            }
            text[at++] = digits[next() % (sizeof digits - 1)];
        }
        static const char *const tails[] = {"", "p", "p-", "P+3", "p0x", "p99999999999", "q", "."};
        if (next() % 3) {
            sprintf(text + at, "p%d", (int)(next() % (next() % 2 ? 2400 : 300)) - (next() % 2 ? 1200 : 150));
        } else {
            sprintf(text + at, "%s", tails[next() % 8]);
        }
        break;
    }
    default: {
        /* Anything of the letters that numbers are made of. */
        static const char letters[] = "0123456789009.e-+E x.0";
        const size_t length = bits % 24;
        for (size_t k = 0; k < length; k++) {
            text[k] = letters[next() % (sizeof letters - 1)];
        }
        text[length] = 0;
    }
    }
}

/* Exact texts of what the processor rounds as well: doubles to floats, long doubles to doubles. */
static void hexadecimal(void) {
    char text[64];
    const double value = ldexp((double)(int64_t)next(), (int)(next() % 50) - 220);
    snprintf(text, sizeof text, "%a", value);
    volatile float single = (float)value;
    errno = 0;
    const float our_single = kit_strtof(text, NULL);
    float expected = single;
    if (memcmp(&our_single, &expected, sizeof expected) ||
        errno != (fabsf(expected) < FLT_MIN && expected != value ? ERANGE : 0)) {
        wrong++;
        printf("%s in mode %d: %a errno %d, not %a\n", text, fegetround(), (double)our_single, errno,
               (double)expected);
    }
    const long double longer = ldexpl((long double)(int64_t)next(), (int)(next() % 80) - 1150);
    snprintf(text, sizeof text, "%La", longer);
    volatile double rounded = (double)longer;
    errno = 0;
    const double our_rounded = kit_strtod(text, NULL);
    const double expected_double = rounded;
    if (memcmp(&our_rounded, &expected_double, sizeof expected_double) ||
        errno != (fabs(expected_double) < DBL_MIN && expected_double != longer ? ERANGE : 0)) {
        wrong++;
        printf("%s in mode %d: %a errno %d, not %a\n", text, fegetround(), our_rounded, errno,
               expected_double);
    }
}

static void floats(uint32_t step) {
    char text[32];
    for (uint64_t bits = next() % step; bits < UINT64_C(0x7f800000); bits += step) {
        const uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, sizeof f);
        snprintf(text, sizeof text, "%.9g", (double)f);
        const float back = kit_strtof(text, NULL);
        if (memcmp(&f, &back, sizeof f) && wrong++ < 20) {
            printf("%s is read as %a, not %a\n", text, (double)back, (double)f);
        }
    }
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "floats")) {
        floats((uint32_t)strtoul(argv[2], NULL, 10));
    } else {
        const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
        static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
        const size_t used = argc > 2 ? 1 : 4;
        for (size_t mode = 0; mode < used; mode++) {
            fesetround(modes[mode]);
            for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
                same(written[i]);
            }
        }
        for (long i = 0; i < count; i++) {
            /* As tight as it can be, for what watches reads. */
            char text[1500];
            fesetround(FE_TONEAREST);
            make(text, sizeof text, i);
            const size_t length = strlen(text) + 1;
            char *tight = malloc(length);
            memcpy(tight, text, length);
            fesetround(i / 15 % 4 == 3 ? modes[i / 60 % (long)used] : FE_TONEAREST);
            same(tight);
            free(tight);
            hexadecimal();
        }
        printf("%ld texts, %ld results by the function behind\n", count, behind);
    }
    return wrong != 0;
}
