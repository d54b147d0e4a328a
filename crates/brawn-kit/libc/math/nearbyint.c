#include "round.h"

ROUNDING(double, nearbyint, ROUND_SD, QUIETLY)
