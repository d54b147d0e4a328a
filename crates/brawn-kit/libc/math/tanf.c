/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_tanf FAST(tanf)
FAST_DECLARE_APART(float, tanf, (float x))
#include "vendor/src/binary32/tan/tanf.c"
FAST_END

DISPATCH(float, tanf, (float x), (x))
