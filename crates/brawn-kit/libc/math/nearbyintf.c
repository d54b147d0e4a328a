#include "round.h"

ROUNDING(float, nearbyintf, ROUND_SS(x, QUIETLY))
