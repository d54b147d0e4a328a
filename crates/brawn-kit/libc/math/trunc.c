#include "round.h"

ROUNDING(double, trunc, ROUND_SD(x, TO_ZERO))
