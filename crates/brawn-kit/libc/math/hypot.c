#include "bits.h"

extern double MUSL(hypot)(double, double);

FAST_BEGIN
FAST_DECLARE(double, hypot, (double x, double y))
/* The root of the sum of the squares, and a step of Newton's that takes the squares exactly. */
double FAST(hypot)(double x, double y) {
    const uint64_t a = bits_of(x) << 1 >> 1, b = bits_of(y) << 1 >> 1;
    const uint64_t more = a > b ? a : b, less = a > b ? b : a;
    /* Not where a square overflows or its lowest bit is lost, nor where the smaller one hardly counts, nor NaNs. */
    if (UNLIKELY(more >= (uint64_t)(1023 + 500) << 52 || less <= (uint64_t)(1023 - 450) << 52 ||
                 more - less >= (uint64_t)50 << 52)) {
        return MUSL(hypot)(x, y);
    }
    const double large = of_bits(more), small = of_bits(less);
    const double root = __builtin_sqrt(__builtin_fma(large, large, small * small));
    const double square = root * root, square_low = __builtin_fma(root, root, -square);
    const double large2 = large * large, large2_low = __builtin_fma(large, large, -large2);
    const double excess = square_low - large2_low + __builtin_fma(-small, small, square - large2);
    return root - excess * 0.5 / root;
}
FAST_END

DISPATCH(double, hypot, (double x, double y), (x, y))
