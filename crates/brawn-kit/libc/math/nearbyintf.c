#include "round.h"

ROUND_QUIETLY(float, nearbyintf, 0x1p23f, __builtin_fabsf, __builtin_copysignf)
ROUNDING_OR(float, nearbyintf, ROUND_SS(x, QUIETLY), DISPATCH_OR, nearbyintf_without_fma)
