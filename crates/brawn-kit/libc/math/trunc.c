#include "round.h"

ROUNDING(double, trunc, ROUND_SD, TO_ZERO)
