#include "fmod.h"

PUBLIC double NAME(remainder)(double x, double y);

PUBLIC double NAME(remainder)(double x, double y) {
    const uint64_t bx = bits_of(x) & ~SIGN_BIT, by = bits_of(y) & ~SIGN_BIT, sign = bits_of(x) & SIGN_BIT;
    if (UNLIKELY(bx >= INFINITY_BITS || by - 1 >= INFINITY_BITS)) {
        return (x * y) / (x * y);
    }
    if (UNLIKELY(by == INFINITY_BITS)) {
        return x;
    }
    int ex, ey;
    uint64_t mx = whole_of(bx, &ex);
    uint64_t my = whole_of(by, &ey);
    unsigned odd = 0;
    if (ex >= ey) {
        mx = modulo(mx, ex - ey, my, &odd);
    } else if (ex == ey - 1) {
        /* In units of half of y's: x may be more than half of y. */
        my <<= 1;
        ey--;
    } else {
        return x;
    }
    /* The nearer one of two; in the middle the one whose quotient is even. No branch could guess which. */
    const uint64_t other = my - mx, over = (uint64_t)(other - odd < mx);
    const uint64_t whole = over ? other : mx;
    return of_bits(bits_from(whole, ey) | (sign ^ over << 63));
}

WEAK_ALIAS(double, drem, remainder, (double x, double y));
