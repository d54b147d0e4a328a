#include "log.h"

extern double MUSL(log)(double);

FAST_BEGIN
FAST_DECLARE(double, log, (double x))
double FAST(log)(double x) {
    const uint64_t bits = bits_of(x);
    if (!is_plain(bits)) {
        return MUSL(log)(x);
    }
    if (UNLIKELY(bits == ONE_BITS)) {
        return 0;
    }
    const struct sum y = log_sum(bits, 0);
    return y.high + y.low;
}
FAST_END

DISPATCH(double, log, (double x), (x))
