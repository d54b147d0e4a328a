#include "round.h"

ROUNDING(float, truncf, ROUND_SS, TO_ZERO)
