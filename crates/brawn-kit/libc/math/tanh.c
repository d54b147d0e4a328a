#include "exp.h"

extern double MUSL(tanh)(double);

FAST_BEGIN
/* tanh x below 1/4. */
static double small(double x) {
    const double z = x * x, z2 = z * z, z4 = z2 * z2;
    const double a = __builtin_fma(z, 0x1.1111111111111p-3, -0x1.5555555555555p-2),
                 b = __builtin_fma(z, 0x1.664f4882bf941p-6, -0x1.ba1ba1ba1ba0dp-5);
    const double c = __builtin_fma(z, 0x1.d6d3cfc10e327p-9, -0x1.226e355d37a91p-7),
                 d = __builtin_fma(z, 0x1.3549a03388452p-11, -0x1.7da31231fdd54p-10);
    const double e = __builtin_fma(z, 0x1.667d861aee26dp-14, -0x1.f25f9a76bcb69p-13);
    const double high = __builtin_fma(z2, d, __builtin_fma(z4, e, c));
    return __builtin_fma(x * z, __builtin_fma(z4, high, __builtin_fma(z2, b, a)), x);
}

FAST_DECLARE(double, tanh, (double x))
/* t / (t + 2), where t is e^2x - 1, all of it in two parts. */
double FAST(tanh)(double x) {
    const double size = __builtin_fabs(x);
    if (UNLIKELY(!(BELOW(size, 20) && AT_LEAST(size, 0x1p-27)))) {
        return MUSL(tanh)(x);
    }
    if (UNLIKELY(BELOW(size, 0.25))) {
        return small(x);
    }
    const struct sum power = exp_parts(2 * size, 0);
    const double less = power.high - 1, more = power.high * power.low;
    const double t = less + more, t_low = less - t + more;
    const double under = t + 2, under_low = (under > 4 ? t - under + 2 : 2 - under + t) + t_low;
    const double inverse = 1 / under;
    const double quotient = t * inverse;
    const double left = __builtin_fma(-quotient, under, t) + __builtin_fma(-quotient, under_low, t_low);
    return __builtin_copysign(__builtin_fma(left, inverse, quotient), x);
}
FAST_END

DISPATCH(double, tanh, (double x), (x))
