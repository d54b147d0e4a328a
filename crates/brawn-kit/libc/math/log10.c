#include "log.h"

extern double MUSL(log10)(double);

/* 1 / log 10 */
#define HIGH 0x1.bcb7b1526e50ep-2
#define LOW 0x1.95355baaafad3p-57

FAST_BEGIN
FAST_DECLARE(double, log10, (double x))
double FAST(log10)(double x) {
    const uint64_t bits = bits_of(x);
    if (!is_plain(bits)) {
        return MUSL(log10)(x);
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

DISPATCH(double, log10, (double x), (x))
