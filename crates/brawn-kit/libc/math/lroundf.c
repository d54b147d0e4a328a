#include "round.h"

TO_INTEGER(long, float, lroundf, 0x1p23f, __builtin_fabsf)
