#include "round.h"

ROUNDING(double, rint, ROUND_SD, AS_MODE)
