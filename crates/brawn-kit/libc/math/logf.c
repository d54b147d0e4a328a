#include "log.h"

extern float MUSL(logf)(float);

FAST_BEGIN
FAST_DECLARE(float, logf, (float x))
/* With doubles, so that the result is rounded once. 1 is musl's, as 0 has a sign here that depends on the rounding
 * mode. */
float FAST(logf)(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const struct log_float at = log_place_float(bits);
    if (UNLIKELY(!is_plain_float(bits) || bits == 0x3f800000u)) {
        return MUSL(logf)(x);
    }
    const double r2 = at.r * at.r, rest = __builtin_fma(r2, log_tail_short(at.r, r2), at.r);
    return (float)(__builtin_fma(at.k, 0x1.62e42fefa39efp-1, at.part->high) + rest);
}
FAST_END

DISPATCH(float, logf, (float x), (x))
