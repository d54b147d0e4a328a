#include "log.h"

#if defined(__x86_64__)

FAST_BEGIN
/* CORE-MATH's, correctly rounded. */
#define cr_log2f FAST(log2f)
FAST_DECLARE(float, log2f, (float x))
#include "vendor/src/binary32/log2/log2f.c"
FAST_END

DISPATCH(float, log2f, (float x), (x))

#else

extern float MUSL(log2f)(float);
PUBLIC float NAME(log2f)(float);

/* Shorter there than CORE-MATH's and than musl's: with doubles, so that the result is rounded once. Powers of two are
 * musl's, as 0 has a sign here that depends on the rounding mode. */
float NAME(log2f)(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const struct log_float at = log_place_float(bits);
    if (UNLIKELY(!is_plain_float(bits) || at.r == 0)) {
        return MUSL(log2f)(x);
    }
    const double r2 = at.r * at.r, rest = __builtin_fma(r2, log_tail_short(at.r, r2), at.r);
    return (float)(__builtin_fma(at.part->high + rest, 0x1.71547652b82fep+0, at.k));
}

#endif
