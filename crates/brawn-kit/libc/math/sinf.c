#include "trigf.h"

FAST_BEGIN
/* CORE-MATH's, correctly rounded, for what is left. */
#define cr_sinf any_sinf
static float any_sinf(float x);
#include "vendor/src/binary32/sin/sinf.c"

FAST_DECLARE(float, sinf, (float x))
float FAST(sinf)(float x) {
    if (!has_anglef(x)) {
        return any_sinf(x);
    }
    uint32_t quarters;
    const double r = anglef(x, &quarters);
    if (quarters & 1) {
        return with_signf(cosine_wide(r), quarters >> 1);
    }
    return with_signf(sine_wide(r), quarters >> 1);
}
FAST_END

DISPATCH(float, sinf, (float x), (x))
