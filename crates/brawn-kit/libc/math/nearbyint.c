#include "round.h"

ROUNDING(double, nearbyint, ROUND_SD(x, QUIETLY))
