/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_tgamma FAST(tgamma)
FAST_DECLARE_APART(double, tgamma, (double x))
#include "vendor/src/binary64/tgamma/tgamma.c"
FAST_END

DISPATCH(double, tgamma, (double x), (x))
