#include "round.h"

ROUNDING(double, floor, ROUND_SD(x, DOWN))
