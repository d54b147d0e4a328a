#include "log.h"

extern double MUSL(log10)(double);

FAST_BEGIN
FAST_DECLARE(double, log10, (double x))
double FAST(log10)(double x) {
    const uint64_t bits = bits_of(x);
    /* 1 / log 10 */
    return is_plain(bits) ? log_times(bits, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57) : MUSL(log10)(x);
}
FAST_END

DISPATCH(double, log10, (double x), (x))
