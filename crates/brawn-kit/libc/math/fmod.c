#include "fmod.h"

PUBLIC double NAME(fmod)(double x, double y);

PUBLIC double NAME(fmod)(double x, double y) {
    const uint64_t bx = bits_of(x) & ~SIGN_BIT, by = bits_of(y) & ~SIGN_BIT, sign = bits_of(x) & SIGN_BIT;
    if (UNLIKELY(bx >= INFINITY_BITS || by - 1 >= INFINITY_BITS)) {
        /* x infinite or NaN, y zero or NaN: NaN, and invalid but for NaNs. */
        return (x * y) / (x * y);
    }
    if (bx < by) {
        return x;
    }
    int ex, ey;
    const uint64_t mx = whole_of(bx, &ex), my = whole_of(by, &ey);
    unsigned odd;
    return of_bits(bits_from(modulo(mx, ex - ey, my, &odd), ey) | sign);
}
