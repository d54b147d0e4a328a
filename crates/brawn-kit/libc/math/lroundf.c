#include "round.h"

ROUNDING_HALVES(long, float, lroundf, ROUND_HALVES_F)
