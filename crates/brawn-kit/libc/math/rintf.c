#include "round.h"

ROUNDING(float, rintf, ROUND_SS(x, AS_MODE))
