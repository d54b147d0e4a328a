#include "round.h"

TO_INTEGER(long, double, lround, 0x1p52, __builtin_fabs)
