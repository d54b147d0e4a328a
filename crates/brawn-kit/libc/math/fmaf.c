#include "level.h"

#if defined(__x86_64__)
extern float MUSL(fmaf)(float x, float y, float z);
#endif

FAST_BEGIN
static float FAST(fmaf)(float x, float y, float z) {
#if defined(__x86_64__)
    /* An infinity times zero is invalid, as musl has it; the instruction says so only where z is a number. */
    if (__builtin_expect(z != z, 0)) {
        return MUSL(fmaf)(x, y, z);
    }
#endif
    return __builtin_fmaf(x, y, z);
}
FAST_END

DISPATCH(float, fmaf, (float x, float y, float z), (x, y, z))
