#include "round.h"

ROUNDING(float, rintf, ROUND_SS, AS_MODE)
