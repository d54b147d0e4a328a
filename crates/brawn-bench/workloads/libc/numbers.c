// Numbers from text and text from numbers, addresses, random numbers.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "rows.h"

static const char *const INTEGERS[8] = {"0", "7", "-42", "1234", "65535", "-1000000", "2147483647", "99"};
static const char *const HEX[8] = {"0x0", "ff", "0xdead", "7fffffff", "0xA", "123abc", "0xbeef", "1"};
static const char *const SHORT[8] = {"0.5", "3.25", "-12.75", "100.1", "7", "1e3", "0.001", "42.42"};
static const char *const LONG[8] = {
    "3.1415926535897931", "2.7182818284590451", "-0.57721566490153287",   "1.6180339887498949",
    "1.4142135623730951", "299792458.12345678", "6.6260701500000001e-34", "-8.8541878128000006e-12",
};
static const char *const HARD[8] = {
    "1.7976931348623157e308",
    "2.2250738585072014e-308",
    "1.79e300",
    "4.9e-324",
    "9007199254740993",
    "1e23",
    "8.41e21",
    "6.02214076e-300",
};
static const char *const HEX_FLOATS[8] = {
    "0x1p0", "0x1.8p1", "-0x1.921fb54442d18p+1", "0x.8p-1021", "0x1p-1074", "0xabc.defp4", "0x1.fp9", "0x0p0",
};
static const double VALUES[8] = {0.5, 3.25, -12.75, 100.1, 7, 1e3, 0.001, 42.42};
static const double WILD[8] = {3.141592653589793, 1.79e300,   -2.5e-300, 1e23,
                               1.0 / 3,           123456.789, 5e-324,    2e-7};
static const int WHOLE[8] = {0, 7, -42, 1234, 65535, -1000000, 2147483647, 99};
static const char *const WORDS[8] = {"a", "of", "the", "word", "other", "string", "numbers", "conversion"};
static const wchar_t *const WIDE[8] = {L"0.5", L"3", L"-12", L"100", L"7", L"1000", L"0", L"42"};

static char to[512];
static wchar_t wide_to[128];
static unsigned char addresses[8][16];
static const char *const V4[4] = {"127.0.0.1", "10.0.255.3", "192.168.1.100", "0.0.0.0"};
static const char *const V6[4] = {"::1", "fe80::1:2ff:fe03:405", "2001:db8:1:2:3:4:5:6", "::ffff:10.1.2.3"};

static void prepare(void) {
    uint64_t seed = 2;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 16; j++)
            addresses[i][j] = (unsigned char)next_random(&seed);
    memset(addresses[1] + 4, 0, 8);
}

// What a function of the printf family has written.
static uint64_t printed(int length) {
    return length < 0 ? 0 : written(to, (size_t)length);
}

static uint64_t wide_printed(int length) {
    return length < 0 ? 0 : written(wide_to, (size_t)length * sizeof *wide_to);
}

CALLS(strtod_short, bits(strtod(SHORT[i % 8], NULL)))
CALLS(strtod_long, bits(strtod(LONG[i % 8], NULL)))
CALLS(strtod_hard, bits(strtod(HARD[i % 8], NULL)))
CALLS(strtod_hex, bits(strtod(HEX_FLOATS[i % 8], NULL)))
CALLS(strtof_short, bits(strtof(SHORT[i % 8], NULL)))
CALLS(strtof_long, bits(strtof(LONG[i % 8], NULL)))
CALLS(strtold_short, bits((double)strtold(SHORT[i % 8], NULL)))
CALLS(strtold_long, bits((double)strtold(LONG[i % 8], NULL)))
CALLS(call_atof, bits(atof(SHORT[i % 8])))
CALLS(call_atoi, atoi(INTEGERS[i % 8]))
CALLS(call_strtol, strtol(INTEGERS[i % 8], NULL, 10))
CALLS(strtol_hex, strtol(HEX[i % 8], NULL, 16))
CALLS(strtol_any, strtol(INTEGERS[i % 8], NULL, 0))
CALLS(call_strtoul, strtoul(INTEGERS[i % 8], NULL, 10))
CALLS(call_strtoull, strtoull(HEX[i % 8], NULL, 36))
CALLS(call_strtoimax, strtoimax(INTEGERS[i % 8], NULL, 10))
CALLS(call_wcstol, wcstol(WIDE[i % 8], NULL, 10))
CALLS(call_wcstod, bits(wcstod(WIDE[i % 8], NULL)))

static uint64_t sscanf_int(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        int value = 0;
        sum = mix(sum, (uint64_t)sscanf(INTEGERS[i % 8], "%d", &value));
        sum = mix(sum, (uint64_t)value);
    }
    return sum;
}

static uint64_t sscanf_double(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        double value = 0;
        sum = mix(sum, (uint64_t)sscanf(SHORT[i % 8], "%lf", &value));
        sum = mix(sum, bits(value));
    }
    return sum;
}

static uint64_t sscanf_mix(uint64_t times) {
    static const char *const LINES[2] = {"17 apples 0x1f 3.5", "-4 pears 0xff 100.25"};
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        int count = 0;
        char word[16] = "";
        unsigned flags = 0;
        double weight = 0;
        sum = mix(sum, (uint64_t)sscanf(LINES[i % 2], "%d %15s %x %lf", &count, word, &flags, &weight));
        sum = mix(sum, (uint64_t)count ^ flags ^ bits(weight) ^ text(word));
    }
    return sum;
}

CALLS(snprintf_d, printed(snprintf(to, sizeof to, "%d", WHOLE[i % 8])))
CALLS(snprintf_x, printed(snprintf(to, sizeof to, "%08x", (unsigned)WHOLE[i % 8])))
CALLS(snprintf_lld, printed(snprintf(to, sizeof to, "%lld", WHOLE[i % 8] * 1234567890123ll)))
CALLS(snprintf_c, printed(snprintf(to, sizeof to, "%c", 'a' + (int)(i % 8))))
CALLS(snprintf_s, printed(snprintf(to, sizeof to, "%s", WORDS[i % 8])))
CALLS(snprintf_padded, printed(snprintf(to, sizeof to, "%-20s|%10s", WORDS[i % 8], WORDS[i / 8 % 8])))
CALLS(snprintf_text, printed(snprintf(to, sizeof to, "nothing to be put in here, only a text")))
CALLS(snprintf_four, printed(snprintf(to, sizeof to, "%d %d %d %d", WHOLE[i % 8], 1, -22, 333)))
CALLS(snprintf_mix, printed(snprintf(to, sizeof to, "%s=%d (%5.2f) 0x%lx", WORDS[i % 8], WHOLE[i % 8],
                                     VALUES[i % 8], (unsigned long)i % 4096)))
CALLS(snprintf_f, printed(snprintf(to, sizeof to, "%f", VALUES[i % 8])))
CALLS(snprintf_2f, printed(snprintf(to, sizeof to, "%.2f", VALUES[i % 8])))
CALLS(snprintf_e, printed(snprintf(to, sizeof to, "%e", WILD[i % 8])))
CALLS(snprintf_g, printed(snprintf(to, sizeof to, "%g", VALUES[i % 8])))
CALLS(snprintf_17g, printed(snprintf(to, sizeof to, "%.17g", WILD[i % 8])))
CALLS(snprintf_wild_f, printed(snprintf(to, sizeof to, "%.3f", WILD[i % 8])))
CALLS(snprintf_lf, printed(snprintf(to, sizeof to, "%.10Lg", (long double)VALUES[i % 8])))
CALLS(snprintf_short, printed(snprintf(to, 8, "%s", "longer than there is room") > 8 ? 7 : 0))
CALLS(call_sprintf, printed(sprintf(to, "%s-%d", WORDS[i % 8], WHOLE[i % 8])))
CALLS(call_swprintf, wide_printed(swprintf(wide_to, COUNT(wide_to), L"%d %ls", WHOLE[i % 8], L"wide")))

static uint64_t call_asprintf(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        char *made;
        if (asprintf(&made, "%s-%d", WORDS[i % 8], WHOLE[i % 8]) < 0)
            fail("asprintf");
        sum = mix(sum, text(made));
        free(made);
    }
    return sum;
}

static uint64_t pton(int family, const char *from) {
    uint64_t word = 0;
    return inet_pton(family, from, to) == 1 ? written(to, family == AF_INET ? 4 : 16) : word;
}

CALLS(ntop_4, text(inet_ntop(AF_INET, addresses[i % 8], to, sizeof to)))
CALLS(ntop_6, text(inet_ntop(AF_INET6, addresses[i % 8], to, sizeof to)))
CALLS(pton_4, pton(AF_INET, V4[i % 4]))
CALLS(pton_6, pton(AF_INET6, V6[i % 4]))
CALLS(call_inet_ntoa, text(inet_ntoa((struct in_addr){(in_addr_t)(i % 8 * 0x01020304)})))
CALLS(call_inet_addr, inet_addr(V4[i % 4]))
CALLS(call_ether_aton, ether_aton("01:23:45:67:89:ab") != NULL)
CALLS(call_rand, rand())
CALLS(call_random, random())
CALLS(call_a64l, a64l(WORDS[i % 4]))

static uint64_t call_lrand48(uint64_t times) {
    uint64_t sum = 0;
    srand48(1);
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, (uint64_t)lrand48());
    return sum;
}

static uint64_t call_drand48(uint64_t times) {
    uint64_t sum = 0;
    srand48(1);
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, bits(drand48()));
    return sum;
}

static uint64_t call_rand_r(uint64_t times) {
    unsigned seed = 1;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, (uint64_t)rand_r(&seed));
    return sum;
}

static const struct row ROWS[] = {
    {"strtod-short", strtod_short, 64, QUICK},
    {"strtod-17-digits", strtod_long, 64, QUICK},
    {"strtod-hard", strtod_hard, 64},
    {"strtod-hex", strtod_hex, 64},
    {"strtof-short", strtof_short, 64},
    {"strtof-17-digits", strtof_long, 64},
    {"strtold-short", strtold_short, 64},
    {"strtold-17-digits", strtold_long, 64},
    {"atof", call_atof, 64},
    {"atoi", call_atoi, 64},
    {"strtol", call_strtol, 64},
    {"strtol-base-16", strtol_hex, 64},
    {"strtol-base-0", strtol_any, 64},
    {"strtoul", call_strtoul, 64},
    {"strtoull-base-36", call_strtoull, 64},
    {"strtoimax", call_strtoimax, 64},
    {"wcstol", call_wcstol, 64},
    {"wcstod", call_wcstod, 64},
    {"sscanf-%d", sscanf_int, 64},
    {"sscanf-%lf", sscanf_double, 64, QUICK},
    {"sscanf-mix", sscanf_mix, 64},
    {"snprintf-%d", snprintf_d, 64, QUICK},
    {"snprintf-%08x", snprintf_x, 64},
    {"snprintf-%lld", snprintf_lld, 64},
    {"snprintf-%c", snprintf_c, 64},
    {"snprintf-%s", snprintf_s, 64},
    {"snprintf-padded", snprintf_padded, 64},
    {"snprintf-text", snprintf_text, 64},
    {"snprintf-four-%d", snprintf_four, 64},
    {"snprintf-mix", snprintf_mix, 64, QUICK},
    {"snprintf-%f", snprintf_f, 64},
    {"snprintf-%.2f", snprintf_2f, 64},
    {"snprintf-%e", snprintf_e, 64},
    {"snprintf-%g", snprintf_g, 64},
    {"snprintf-%.17g", snprintf_17g, 64},
    {"snprintf-%.3f-of-1e300", snprintf_wild_f, 64},
    {"snprintf-%.10Lg", snprintf_lf, 64},
    {"snprintf-cut-off", snprintf_short, 64},
    {"sprintf", call_sprintf, 64},
    {"asprintf", call_asprintf, 64},
    {"swprintf", call_swprintf, 64},
    {"inet_ntop-IPv4", ntop_4, 64},
    {"inet_ntop-IPv6", ntop_6, 64},
    {"inet_pton-IPv4", pton_4, 64},
    {"inet_pton-IPv6", pton_6, 64},
    {"inet_ntoa", call_inet_ntoa, 64},
    {"inet_addr", call_inet_addr, 64},
    {"ether_aton", call_ether_aton, 64},
    {"rand", call_rand, 64, DIFFERS},
    {"rand_r", call_rand_r, 64, DIFFERS},
    {"random", call_random, 64, DIFFERS},
    {"lrand48", call_lrand48, 64},
    {"drand48", call_drand48, 64},
    {"a64l", call_a64l, 64},
};

const struct group numbers_group = GROUP("numbers", prepare, ROWS);
