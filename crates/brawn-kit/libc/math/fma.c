#include "level.h"

FAST_BEGIN
static double FAST(fma)(double x, double y, double z) {
    return __builtin_fma(x, y, z);
}
FAST_END

DISPATCH(double, fma, (double x, double y, double z), (x, y, z))
