#include "round.h"

ROUNDING(double, round, ROUND_HALVES(double, ROUND_SD, 0x1p52, __builtin_fabs, __builtin_copysign))
