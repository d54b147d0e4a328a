#include "round.h"

TO_INTEGER(long long, double, llround, 0x1p52, __builtin_fabs)
