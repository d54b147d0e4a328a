/* Squares of floats are exact as doubles. This needs no FMA. */
#include "level.h"

PUBLIC float NAME(hypotf)(float x, float y);

PUBLIC float NAME(hypotf)(float x, float y) {
    const double a = x, b = y;
    const double square = a * a + b * b;
    if (UNLIKELY(!(square < (double)__builtin_inff()))) {
        /* Not a number, but infinite if either is, whatever the other one. */
        if (__builtin_isinf(x) || __builtin_isinf(y)) {
            return __builtin_inff();
        }
    }
    return (float)__builtin_sqrt(square);
}
