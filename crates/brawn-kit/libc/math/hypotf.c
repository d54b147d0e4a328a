/* Squares of floats are exact as doubles. This needs no FMA. */
#include "level.h"

PUBLIC float NAME(hypotf)(float x, float y);

typedef double doubles __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(8)));

PUBLIC float NAME(hypotf)(float x, float y) {
    /* Both by one instruction: on x86_64, to widen one waits for what was in the register of the result. */
    const doubles both = __builtin_convertvector((floats){x, y}, doubles), squares = both * both;
    const double square = squares[0] + squares[1];
    if (UNLIKELY(!(square < (double)__builtin_inff()))) {
        /* Not a number, but infinite if either is, whatever the other one. */
        if (__builtin_isinf(x) || __builtin_isinf(y)) {
            return __builtin_inff();
        }
    }
    return (float)__builtin_sqrt(square);
}
