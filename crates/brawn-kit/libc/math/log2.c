#include "log.h"

extern double MUSL(log2)(double);

FAST_BEGIN
FAST_DECLARE(double, log2, (double x))
double FAST(log2)(double x) {
    const uint64_t bits = bits_of(x);
    /* 1 / log 2 */
    return is_plain(bits) ? log_times(bits, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56) : MUSL(log2)(x);
}
FAST_END

DISPATCH(double, log2, (double x), (x))
