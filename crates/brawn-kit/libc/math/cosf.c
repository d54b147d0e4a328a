#include "trigf.h"

FAST_BEGIN
/* CORE-MATH's, correctly rounded, for what is left. */
#define cr_cosf any_cosf
static float any_cosf(float x);
#include "vendor/src/binary32/cos/cosf.c"

FAST_DECLARE(float, cosf, (float x))
float FAST(cosf)(float x) {
    if (!has_anglef(x)) {
        return any_cosf(x);
    }
    uint32_t quarters;
    const double r = anglef(x, &quarters);
    if (quarters & 1) {
        return with_signf(sine_wide(r), (quarters + 1) >> 1);
    }
    return with_signf(cosine_wide(r), (quarters + 1) >> 1);
}
FAST_END

DISPATCH(float, cosf, (float x), (x))
