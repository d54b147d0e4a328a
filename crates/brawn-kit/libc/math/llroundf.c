#include "round.h"

TO_INTEGER(long long, float, llroundf, 0x1p23f, __builtin_fabsf)
