#include "round.h"

ROUNDING(float, floorf, ROUND_SS(x, DOWN))
