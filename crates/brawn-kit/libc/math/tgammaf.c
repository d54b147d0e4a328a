/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_tgammaf FAST(tgammaf)
FAST_DECLARE(float, tgammaf, (float x))
#include "vendor/src/binary32/tgamma/tgammaf.c"
FAST_END

DISPATCH(float, tgammaf, (float x), (x))
