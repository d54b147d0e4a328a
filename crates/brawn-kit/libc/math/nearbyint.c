#include "round.h"

ROUND_QUIETLY(double, nearbyint, 0x1p52, __builtin_fabs, __builtin_copysign)
ROUNDING_OR(double, nearbyint, ROUND_SD(x, QUIETLY), DISPATCH_OR, nearbyint_without_fma)
