#include "bits.h"

PUBLIC float NAME(fmodf)(float x, float y);

/* Floats have so few bits that 40 of the quotient come at a time. */
PUBLIC float NAME(fmodf)(float x, float y) {
    uint32_t bx, by;
    __builtin_memcpy(&bx, &x, sizeof bx);
    __builtin_memcpy(&by, &y, sizeof by);
    const uint32_t sign = bx & 0x80000000u;
    bx ^= sign;
    by &= 0x7fffffffu;
    if (UNLIKELY(bx >= 0x7f800000u || by - 1 >= 0x7f800000u)) {
        return (x * y) / (x * y);
    }
    if (bx < by) {
        return x;
    }
    const int sx = (int)(bx >> 23), sy = (int)(by >> 23), ex = sx ? sx : 1, ey = sy ? sy : 1;
    uint64_t m = sx ? (bx & 0x7fffffu) | 0x800000u : bx;
    const uint32_t d = sy ? (by & 0x7fffffu) | 0x800000u : by;
    int n = ex - ey;
    while (n > 40) {
        m = (m << 40) % d;
        n -= 40;
    }
    uint32_t whole = (uint32_t)((m << n) % d), result = 0;
    if (whole) {
        const int up = __builtin_clz(whole) - 8;
        result = up >= ey ? whole << (ey - 1) : (whole << up) + ((uint32_t)(ey - up - 1) << 23);
    }
    result |= sign;
    __builtin_memcpy(&x, &result, sizeof x);
    return x;
}
