#include "fma.h"

FAST_BEGIN
FMA(double, fma, __builtin_fma)
FAST_END

DISPATCH(double, fma, (double x, double y, double z), (x, y, z))
