#include "trig.h"

extern double MUSL(tan)(double);

/* tan(i/16) in two parts, i from -13 to 13. */
static const struct sum TABLE[27] = {
    {-0x1.0e442aa4c1ea0p+0, 0x1.1f90dd92d21f9p-55},  {-0x1.dcfa36110eeecp-1, 0x1.f3cf665127fd2p-57},
    {-0x1.a46cb2be6a0b2p-1, 0x1.29a64ecb1df2ep-56},  {-0x1.7166689d41ef0p-1, 0x1.f44ffce65ed2bp-55},
    {-0x1.42c8ba0e9537ap-1, 0x1.1817d3747956ap-56},  {-0x1.17b4f5bf3474ap-1, -0x1.0c5e59201e209p-55},
    {-0x1.def49eaab37a1p-2, -0x1.1e48c7a265428p-56}, {-0x1.9312d859bf8b0p-2, 0x1.de9ddeb7d4180p-57},
    {-0x1.4ad71ed51ce39p-2, 0x1.b8c42b22fff4bp-56},  {-0x1.05785a43c4c56p-2, 0x1.9c6bfe7769a3dp-58},
    {-0x1.84906f1132568p-3, -0x1.20efcd2f809c3p-60}, {-0x1.01577af1511a5p-3, 0x1.fba60a478d2b0p-59},
    {-0x1.005577854df01p-4, 0x1.f35b10671bea1p-58},  {0x0.0p+0, 0x0.0p+0},
    {0x1.005577854df01p-4, -0x1.f35b10671bea1p-58},  {0x1.01577af1511a5p-3, -0x1.fba60a478d2b0p-59},
    {0x1.84906f1132568p-3, 0x1.20efcd2f809c3p-60},   {0x1.05785a43c4c56p-2, -0x1.9c6bfe7769a3dp-58},
    {0x1.4ad71ed51ce39p-2, -0x1.b8c42b22fff4bp-56},  {0x1.9312d859bf8b0p-2, -0x1.de9ddeb7d4180p-57},
    {0x1.def49eaab37a1p-2, 0x1.1e48c7a265428p-56},   {0x1.17b4f5bf3474ap-1, 0x1.0c5e59201e209p-55},
    {0x1.42c8ba0e9537ap-1, -0x1.1817d3747956ap-56},  {0x1.7166689d41ef0p-1, -0x1.f44ffce65ed2bp-55},
    {0x1.a46cb2be6a0b2p-1, -0x1.29a64ecb1df2ep-56},  {0x1.dcfa36110eeecp-1, -0x1.f3cf665127fd2p-57},
    {0x1.0e442aa4c1ea0p+0, -0x1.1f90dd92d21f9p-55},
};

FAST_BEGIN
FAST_DECLARE(double, tan, (double x))
/* The angle is a + h, where a is a multiple of 1/16, and tan(a + h) = tan a + h + e, where e is small beside the sum:
 * tan h - h + tan h tan a tan(a + h). Behind an odd quarter it is -1 by that, and what the division leaves counts. */
double FAST(tan)(double x) {
    struct angle angle;
    if (!angle_of(x, &angle)) {
        return MUSL(tan)(x);
    }
    const double sixteenths = __builtin_roundeven(angle.part * 0x1.921fb54442d18p+4);
    const double h = __builtin_fma(sixteenths, -0x1p-4, angle.r);
    const struct sum a = TABLE[(int)sixteenths + 13];
    const double z = h * h, low = __builtin_fma(z, 0x1.1111111123448p-3, 0x1.5555555555554p-2);
    const double polynomial =
        __builtin_fma(z * z, __builtin_fma(z, 0x1.6697fa180c992p-6, 0x1.ba1b9c0b0f086p-5), low);
    /* The rest of the angle counts 1 + h^2, which is 1 here. */
    const double more = __builtin_fma(h * z, polynomial, angle.rest), tan_h = h + more;
    const double part = tan_h * a.high;
    const double e = part * (a.high + tan_h) / __builtin_fma(tan_h, -a.high, 1);
    const double first = a.high + h, rest = (a.high - first + h) + (more + a.low) + e;
    const double sum = first + rest;
    if (!(angle.quarters & 1)) {
        return sum;
    }
    const double sum_low = first - sum + rest, quotient = -1 / sum;
    return __builtin_fma(quotient, __builtin_fma(quotient, sum_low, __builtin_fma(quotient, sum, 1)),
                         quotient);
}
FAST_END

DISPATCH(double, tan, (double x), (x))
