#include "round.h"

ROUNDING_HALVES(long long, float, llroundf, ROUND_HALVES_F)
