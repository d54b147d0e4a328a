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

#define ROUNDING(type, function, instruction, how)                                                           \
    extern type MUSL(function)(type);                                                                        \
    static COLD type function##_first(type x) {                                                              \
        if (has_fma_after_all()) {                                                                           \
            instruction(x, how);                                                                             \
            return x;                                                                                        \
        }                                                                                                    \
        return MUSL(function)(x);                                                                            \
    }                                                                                                        \
    PUBLIC type NAME(function)(type);                                                                        \
    PUBLIC type NAME(function)(type x) {                                                                     \
        if (HAS_FMA()) {                                                                                     \
            instruction(x, how);                                                                             \
            return x;                                                                                        \
        }                                                                                                    \
        return function##_first(x);                                                                          \
    }

/* To the nearest, halves away from zero. What is left behind the point is exact, so that `inexact` says whether there
 * was any; numbers without room for it, infinities and NaNs stay as they are. */
#define ROUND_HALVES(type, x, instruction, whole, fabs, copysign)                                            \
    ({                                                                                                       \
        type value_ = (x);                                                                                   \
        if (LIKELY(fabs(value_) < (whole))) {                                                                \
            type cut_ = value_;                                                                              \
            instruction(cut_, TO_ZERO);                                                                      \
            const type more_ = fabs(value_ - cut_) >= (type)0.5 ? (type)1 : (type)0;                         \
            value_ = cut_ + copysign(more_, value_);                                                         \
        }                                                                                                    \
        value_;                                                                                              \
    })
#define ROUND_HALVES_D(x) ROUND_HALVES(double, x, ROUND_SD, 0x1p52, __builtin_fabs, __builtin_copysign)
#define ROUND_HALVES_F(x) ROUND_HALVES(float, x, ROUND_SS, 0x1p23f, __builtin_fabsf, __builtin_copysignf)

#define ROUNDING_HALVES(result, type, function, expression)                                                  \
    extern result MUSL(function)(type);                                                                      \
    static COLD result function##_first(type x) {                                                            \
        if (has_fma_after_all()) {                                                                           \
            return (result)expression(x);                                                                    \
        }                                                                                                    \
        return MUSL(function)(x);                                                                            \
    }                                                                                                        \
    PUBLIC result NAME(function)(type);                                                                      \
    PUBLIC result NAME(function)(type x) {                                                                   \
        if (HAS_FMA()) {                                                                                     \
            return (result)expression(x);                                                                    \
        }                                                                                                    \
        return function##_first(x);                                                                          \
    }

#endif
