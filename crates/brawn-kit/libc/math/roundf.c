#include "round.h"

ROUNDING(float, roundf, ROUND_HALVES(float, ROUND_SS, 0x1p23f, __builtin_fabsf, __builtin_copysignf))
