#include "round.h"

ROUNDING_HALVES(long, double, lround, ROUND_HALVES_D)
