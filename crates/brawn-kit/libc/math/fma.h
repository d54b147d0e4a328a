/* The instruction for a product and a sum. */
#ifndef BRAWN_MATH_FMA_H
#define BRAWN_MATH_FMA_H

#include "level.h"

/* An infinity times zero is invalid, as musl has it; the instruction says so only where z is a number. */
#define FMA(type, function, instruction)                                                                     \
    extern type MUSL(function)(type, type, type);                                                            \
    static type FAST(function)(type x, type y, type z) {                                                     \
        return UNLIKELY(z != z) ? MUSL(function)(x, y, z) : instruction(x, y, z);                            \
    }

#endif
