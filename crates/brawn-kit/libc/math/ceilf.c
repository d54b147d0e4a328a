#include "round.h"

ROUNDING(float, ceilf, ROUND_SS(x, UP))
