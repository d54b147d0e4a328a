#include "log.h"

#if defined(__x86_64__)

FAST_BEGIN
/* CORE-MATH's, correctly rounded. */
#define cr_logf FAST(logf)
FAST_DECLARE(float, logf, (float x))
#include "vendor/src/binary32/log/logf.c"
FAST_END

DISPATCH(float, logf, (float x), (x))

#else

extern float MUSL(logf)(float);
PUBLIC float NAME(logf)(float);

/* Shorter there than CORE-MATH's and than musl's: with doubles, so that the result is rounded once. Powers of two are
 * musl's, as 0 has a sign here that depends on the rounding mode. */
float NAME(logf)(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const struct log_float at = log_place_float(bits);
    if (UNLIKELY(!is_plain_float(bits) || at.r == 0)) {
        return MUSL(logf)(x);
    }
    const double r2 = at.r * at.r, rest = __builtin_fma(r2, log_tail_short(at.r, r2), at.r);
    return (float)(__builtin_fma(at.k, 0x1.62e42fefa39efp-1, at.part->high) + rest);
}

#endif
