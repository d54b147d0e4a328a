#include "round.h"

ROUNDING(float, truncf, ROUND_SS(x, TO_ZERO))
