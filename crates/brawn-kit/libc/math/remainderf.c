/* Exact, so it may be computed with doubles. */
#include "level.h"

extern double NAME(remainder)(double x, double y);

PUBLIC float NAME(remainderf)(float x, float y);

PUBLIC float NAME(remainderf)(float x, float y) {
    return (float)NAME(remainder)(x, y);
}

WEAK_ALIAS(float, dremf, remainderf, (float x, float y));
