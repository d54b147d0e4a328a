#include "round.h"

ROUNDING_HALVES(double, double, round, ROUND_HALVES_D)
