/* a64l and l64a: numbers in base 64, the lowest digit first. */

#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))

PUBLIC long a64l(const char *s);
PUBLIC char *l64a(long number);

static const char DIGITS[64] __attribute__((nonstring)) =
    "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* What the characters from . to z count; 64 for none. */
static const uint8_t VALUES['z' - '.' + 1] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 64, 64, 64, 64, 64, 64, 64, 12, 13, 14, 15, 16, 17, 18,
    19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 64, 64, 64, 64, 64, 64, 38,
    39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

long a64l(const char *s) {
    uint32_t number = 0, c;
    for (int bits = 0; bits < 36 && (c = (unsigned char)*s - '.') < sizeof VALUES && VALUES[c] < 64;
         bits += 6, s++) {
        number |= (uint32_t)VALUES[c] << bits;
    }
    return (int32_t)number;
}

char *l64a(long number) {
    static char text[7];
    char *at = text;
    for (uint32_t rest = (uint32_t)number; rest; rest >>= 6) {
        *at++ = DIGITS[rest & 63];
    }
    *at = 0;
    return text;
}
