/* Rounding to whole numbers by SSE4.1, which every CPU with FMA has; without it musl's functions do it. */
#ifndef BRAWN_MATH_ROUND_H
#define BRAWN_MATH_ROUND_H

#include "bits.h"

/* How `roundsd` rounds: to nearest, down, up, to zero, as the mode of the moment says, and that without `inexact`. */
#define DOWN 1
#define UP 2
#define TO_ZERO 3
#define AS_MODE 4
#define QUIETLY 12

/* The flag in mxcsr. */
#define INEXACT 32

#define ROUND_SD(x, how) __asm__("roundsd %1, %0, %0" : "+x"(x) : "i"(how))
#define ROUND_SS(x, how) __asm__("roundss %1, %0, %0" : "+x"(x) : "i"(how))

/* The fast form, an expression of x, needs no function of its own: it is short, and takes no target of AVX2. */
#define ROUNDING_OR(type, function, expression, dispatch, ...)                                               \
    INLINE type FAST(function)(type x) {                                                                     \
        expression;                                                                                          \
        return x;                                                                                            \
    }                                                                                                        \
    dispatch(type, function, (type x), (x), ##__VA_ARGS__)

#define ROUNDING(type, function, expression) ROUNDING_OR(type, function, expression, DISPATCH)

/* The same by SSE2: `big` has no room behind its point, so a sum is rounded as the mode says. `inexact` is put back if it
 * was not raised before. */
#define ROUND_QUIETLY(type, function, big, fabs, copysign)                                                   \
    static type function##_without_fma(type x) {                                                             \
        const type far = copysign((type)(big), x);                                                           \
        uint32_t before;                                                                                     \
        type y = x;                                                                                          \
        if (UNLIKELY(!(BELOW(fabs(x), (type)(big))))) {                                                      \
            return x;                                                                                        \
        }                                                                                                    \
        __asm__ volatile("stmxcsr %0" : "=m"(before), "+x"(y));                                              \
        y = y + far - far;                                                                                   \
        if (UNLIKELY(!(before & INEXACT))) {                                                                 \
            __asm__ volatile("ldmxcsr %1" : "+x"(y) : "m"(before));                                          \
        }                                                                                                    \
        return copysign(y, x);                                                                               \
    }

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
