#include "log.h"

extern double MUSL(log2)(double);

/* 1 / log 2 */
#define HIGH 0x1.71547652b82fep+0
#define LOW 0x1.777d0ffda0d24p-56

FAST_BEGIN
FAST_DECLARE(double, log2, (double x))
double FAST(log2)(double x) {
    const uint64_t bits = bits_of(x);
    if (!is_plain(bits)) {
        return MUSL(log2)(x);
    }
    if (UNLIKELY(bits == ONE_BITS)) {
        return 0;
    }
    const struct sum y = log_sum(bits, 0);
    const double product = y.high * HIGH;
    const double rest = __builtin_fma(y.high, HIGH, -product) + __builtin_fma(y.high, LOW, y.low * HIGH);
    return product + rest;
}
FAST_END

DISPATCH(double, log2, (double x), (x))
