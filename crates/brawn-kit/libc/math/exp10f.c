/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_exp10f FAST(exp10f)
FAST_DECLARE_APART(float, exp10f, (float x))
#include "vendor/src/binary32/exp10/exp10f.c"
FAST_END

DISPATCH(float, exp10f, (float x), (x))
WEAK_ALIAS(float, pow10f, exp10f, (float x));
