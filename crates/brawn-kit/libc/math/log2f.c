#include "log.h"

extern float MUSL(log2f)(float);

FAST_BEGIN
FAST_DECLARE(float, log2f, (float x))
/* With doubles, so that the result is rounded once. 1 is musl's, as 0 has a sign here that depends on the rounding
 * mode. */
float FAST(log2f)(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const struct log_float at = log_place_float(bits);
    if (UNLIKELY(!is_plain_float(bits) || bits == 0x3f800000u)) {
        return MUSL(log2f)(x);
    }
    const double r2 = at.r * at.r, rest = __builtin_fma(r2, log_tail_short(at.r, r2), at.r);
    return (float)__builtin_fma(at.part->high + rest, 0x1.71547652b82fep+0, at.k);
}
FAST_END

DISPATCH(float, log2f, (float x), (x))
