#include "fma.h"

FAST_BEGIN
FMA(float, fmaf, __builtin_fmaf)
FAST_END

DISPATCH(float, fmaf, (float x, float y, float z), (x, y, z))
