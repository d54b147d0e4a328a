/* The functions that are tested, with the largest error allowed, in units in the last place: what the kit is held to,
 * never more than musl's. For doubles also where most inputs lie. */

#ifndef FLOAT
#define FLOAT(name, most)
#define FLOAT2(name, most)
#endif
#ifndef DOUBLE
#define DOUBLE(name, most, low, high)
#define DOUBLE2(name, most, low, high)
#endif
#ifndef EXACT
#define EXACT(name)
#define EXACT2(name)
#endif

FLOAT(acos, 0.50001)
FLOAT(acosh, 0.50001)
FLOAT(asinh, 0.50001)
FLOAT(atanh, 0.50001)
FLOAT(cos, 0.5003)
FLOAT(cosh, 0.50001)
FLOAT(erf, 0.50001)
FLOAT(erfc, 0.50001)
FLOAT(exp10, 0.50001)
FLOAT(expm1, 0.50001)
FLOAT(log10, 0.50001)
FLOAT(log1p, 0.51)
FLOAT(sin, 0.5003)
FLOAT(sinh, 0.50001)
FLOAT(tan, 0.50001)
FLOAT(tanh, 0.50001)
FLOAT(tgamma, 0.50001)
/* Below the normal numbers musl's, here the host's. */
FLOAT(log, 0.5003)
FLOAT(log2, 0.5003)
#if defined(__x86_64__)
/* Elsewhere musl's own. */
FLOAT(cbrt, 0.50001)
FLOAT(exp, 0.5001)
FLOAT(exp2, 0.5001)
#endif
FLOAT2(hypot, 0.50001)
/* Where x is below the normal numbers, musl's. */
FLOAT2(pow, 0.76)

DOUBLE(acos, 0.72, -1, 1)
DOUBLE(acosh, 1.0, 1, 10)
DOUBLE(asin, 0.72, -1, 1)
DOUBLE(asinh, 1.2, -10, 10)
DOUBLE(atanh, 0.6, -1, 1)
DOUBLE(cos, 0.68, -10, 10)
DOUBLE(cosh, 1.0, -20, 20)
DOUBLE(erf, 0.9, -3, 3)
/* Beyond 25.5 musl's. */
DOUBLE(erfc, 3.3, -3, 26)
DOUBLE(exp10, 0.50001, -300, 300)
DOUBLE(expm1, 0.50001, -5, 5)
DOUBLE(log, 0.519, 0.01, 100)
DOUBLE(log10, 0.52, 0.01, 100)
DOUBLE(log1p, 0.6, -1, 10)
DOUBLE(log2, 0.52, 0.01, 100)
DOUBLE(sin, 0.68, -10, 10)
DOUBLE(sinh, 0.50001, -20, 20)
DOUBLE(tan, 0.72, -10, 10)
DOUBLE(tanh, 1.2, -5, 5)
DOUBLE(tgamma, 0.50001, -20, 171)
DOUBLE2(hypot, 0.52, -10, 10)
DOUBLE2(pow, 0.52, 0, 10)

EXACT(ceil)
EXACT(floor)
EXACT(nearbyint)
EXACT(rint)
EXACT(round)
EXACT(trunc)
EXACT2(fmod)
EXACT2(remainder)
