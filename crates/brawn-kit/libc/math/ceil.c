#include "round.h"

ROUNDING(double, ceil, ROUND_SD(x, UP))
