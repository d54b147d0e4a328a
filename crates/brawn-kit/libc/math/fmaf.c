#include "level.h"

FAST_BEGIN
static float FAST(fmaf)(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}
FAST_END

DISPATCH(float, fmaf, (float x, float y, float z), (x, y, z))
