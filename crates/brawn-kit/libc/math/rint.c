#include "round.h"

ROUNDING(double, rint, ROUND_SD(x, AS_MODE))
