#include "round.h"

ROUNDING_HALVES(float, float, roundf, ROUND_HALVES_F)
