/* Rounding to whole numbers by SSE4.1, which every CPU with FMA has; without it musl's functions do it. */
#ifndef BRAWN_MATH_ROUND_H
#define BRAWN_MATH_ROUND_H

#include "level.h"

/* How `roundsd` rounds: to nearest, down, up, to zero, as the mode of the moment says, and that without `inexact`. */
#define DOWN 1
#define UP 2
#define TO_ZERO 3
#define AS_MODE 4
#define QUIETLY 12

#define ROUND_SD(x, how) __asm__("roundsd %1, %0, %0" : "+x"(x) : "i"(how))
#define ROUND_SS(x, how) __asm__("roundss %1, %0, %0" : "+x"(x) : "i"(how))

/* The fast form, an expression of x, needs no function of its own: it is short, and takes no target of AVX2. */
#define ROUNDING(type, function, expression)                                                                 \
    INLINE type FAST(function)(type x) {                                                                     \
        expression;                                                                                          \
        return x;                                                                                            \
    }                                                                                                        \
    DISPATCH(type, function, (type x), (x))

/* To the nearest, halves away from zero. What is left behind the point is exact, so that `inexact` says whether there
 * was any; numbers without room for it, infinities and NaNs stay as they are. */
#define ROUND_HALVES(type, instruction, whole, fabs, copysign)                                               \
    if (LIKELY(fabs(x) < (whole))) {                                                                         \
        type cut = x;                                                                                        \
        instruction(cut, TO_ZERO);                                                                           \
        const type more = fabs(x - cut) >= (type)0.5 ? (type)1 : (type)0;                                    \
        x = cut + copysign(more, x);                                                                         \
    }

/* The same to a whole number, for which SSE2 has what it takes: no level is asked for. */
#define TO_INTEGER(result, type, function, whole, fabs)                                                      \
    PUBLIC result NAME(function)(type);                                                                      \
    PUBLIC result NAME(function)(type x) {                                                                   \
        const result cut = (result)x;                                                                        \
        if (UNLIKELY(!(fabs(x) < (whole)))) {                                                                \
            return cut;                                                                                      \
        }                                                                                                    \
        const type rest = x - (type)cut;                                                                     \
        return cut + (rest >= (type)0.5) - (rest <= (type) - 0.5);                                           \
    }

#endif
