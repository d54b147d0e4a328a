/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_erff FAST(erff)
FAST_DECLARE(float, erff, (float x))
#include "vendor/src/binary32/erf/erff.c"

/* Both files have these. */
#define b32u32_u second_b32u32_u
#define b64u64_u second_b64u64_u
#define cr_erfcf FAST(erfcf)
FAST_DECLARE(float, erfcf, (float x))
#include "vendor/src/binary32/erfc/erfcf.c"
FAST_END

DISPATCH(float, erff, (float x), (x))
DISPATCH(float, erfcf, (float x), (x))
