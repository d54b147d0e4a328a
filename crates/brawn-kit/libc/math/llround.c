#include "round.h"

ROUNDING_HALVES(long long, double, llround, ROUND_HALVES_D)
