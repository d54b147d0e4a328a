#include "level.h"

#if defined(__x86_64__)
extern double MUSL(fma)(double x, double y, double z);
#endif

FAST_BEGIN
static double FAST(fma)(double x, double y, double z) {
#if defined(__x86_64__)
    /* An infinity times zero is invalid, as musl has it; the instruction says so only where z is a number. */
    if (__builtin_expect(z != z, 0)) {
        return MUSL(fma)(x, y, z);
    }
#endif
    return __builtin_fma(x, y, z);
}
FAST_END

DISPATCH(double, fma, (double x, double y, double z), (x, y, z))
