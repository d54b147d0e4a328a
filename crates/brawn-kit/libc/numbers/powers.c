/*
 * The powers of five by which decimal numbers are scaled: 5^(16 k) for k from -22 to 19, the 128 leading bits of each, cut
 * off. What stands between two of them is an exact power below 5^16. `tests/numbers.rs` computes the table again.
 */

#include "decimal.h"

const struct power __brawn_powers[42] = {
    {UINT64_C(0xcd42a11346f34f7d), UINT64_C(0x0092757bf2623727)}, /* 5^-352 */
    {UINT64_C(0xe3e27a444d8d98b7), UINT64_C(0xfd1b1b2308169b25)}, /* 5^-336 */
    {UINT64_C(0xfd00b897478238d0), UINT64_C(0x8920b098955522b4)}, /* 5^-320 */
    {UINT64_C(0x8c71dcd9ba0b4925), UINT64_C(0x9ff0c08b7f1d0b14)}, /* 5^-304 */
    {UINT64_C(0x9becce62836ac577), UINT64_C(0x4ee367f9430aec32)}, /* 5^-288 */
    {UINT64_C(0xad1c8eab5ee43b66), UINT64_C(0xda3243650005eecf)}, /* 5^-272 */
    {UINT64_C(0xc0314325637a1939), UINT64_C(0xfa911155fefb5308)}, /* 5^-256 */
    {UINT64_C(0xd5605fcdcf32e1d6), UINT64_C(0xfb1e4a9a90880a64)}, /* 5^-240 */
    {UINT64_C(0xece53cec4a314ebd), UINT64_C(0xa4f8bf5635246428)}, /* 5^-224 */
    {UINT64_C(0x8380dea93da4bc60), UINT64_C(0x4247cb9e59f71e6d)}, /* 5^-208 */
    {UINT64_C(0x91ff83775423cc06), UINT64_C(0x7b6306a34627ddcf)}, /* 5^-192 */
    {UINT64_C(0xa21727db38cb002f), UINT64_C(0xb8ada00e5a506a7c)}, /* 5^-176 */
    {UINT64_C(0xb3f4e093db73a093), UINT64_C(0x59ed216765690f56)}, /* 5^-160 */
    {UINT64_C(0xc7caba6e7c5382c8), UINT64_C(0xfe64a52ee96b8fc0)}, /* 5^-144 */
    {UINT64_C(0xddd0467c64bce4a0), UINT64_C(0xac7cb3f6d05ddbde)}, /* 5^-128 */
    {UINT64_C(0xf64335bcf065d37d), UINT64_C(0x4d4617b5ff4a16d5)}, /* 5^-112 */
    {UINT64_C(0x88b402f7fd75539b), UINT64_C(0x11dbcb0218ebb414)}, /* 5^-96 */
    {UINT64_C(0x97c560ba6b0919a5), UINT64_C(0xdccd879fc967d41a)}, /* 5^-80 */
    {UINT64_C(0xa87fea27a539e9a5), UINT64_C(0x3f2398d747b36224)}, /* 5^-64 */
    {UINT64_C(0xbb127c53b17ec159), UINT64_C(0x5560c018580d5d52)}, /* 5^-48 */
    {UINT64_C(0xcfb11ead453994ba), UINT64_C(0x67de18eda5814af2)}, /* 5^-32 */
    {UINT64_C(0xe69594bec44de15b), UINT64_C(0x4c2ebe687989a9b3)}, /* 5^-16 */
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000)}, /* 5^0 */
    {UINT64_C(0x8e1bc9bf04000000), UINT64_C(0x0000000000000000)}, /* 5^16 */
    {UINT64_C(0x9dc5ada82b70b59d), UINT64_C(0xf020000000000000)}, /* 5^32 */
    {UINT64_C(0xaf298d050e4395d6), UINT64_C(0x9670b12b7f410000)}, /* 5^48 */
    {UINT64_C(0xc2781f49ffcfa6d5), UINT64_C(0x3cbf6b71c76b25fb)}, /* 5^64 */
    {UINT64_C(0xd7e77a8f87daf7fb), UINT64_C(0xdc33745ec97be906)}, /* 5^80 */
    {UINT64_C(0xefb3ab16c59b14a2), UINT64_C(0xc5cfe94ef3ea101e)}, /* 5^96 */
    {UINT64_C(0x850fadc09923329e), UINT64_C(0x03e2cf6bc604ddb0)}, /* 5^112 */
    {UINT64_C(0x93ba47c980e98cdf), UINT64_C(0xc66f336c36b10137)}, /* 5^128 */
    {UINT64_C(0xa402b9c5a8d3a6e7), UINT64_C(0x5f16206c9c6209a6)}, /* 5^144 */
    {UINT64_C(0xb616a12b7fe617aa), UINT64_C(0x577b986b314d6009)}, /* 5^160 */
    {UINT64_C(0xca28a291859bbf93), UINT64_C(0x7d7b8f7503cfdcfe)}, /* 5^176 */
    {UINT64_C(0xe070f78d3927556a), UINT64_C(0x85bbe253f47b1417)}, /* 5^192 */
    {UINT64_C(0xf92e0c3537826145), UINT64_C(0xa7709a56ccdf8a82)}, /* 5^208 */
    {UINT64_C(0x8a5296ffe33cc92f), UINT64_C(0x82bd6b70d99aaa6f)}, /* 5^224 */
    {UINT64_C(0x9991a6f3d6bf1765), UINT64_C(0xacca6da1e0a8ef29)}, /* 5^240 */
    {UINT64_C(0xaa7eebfb9df9de8d), UINT64_C(0xddbb901b98feeab7)}, /* 5^256 */
    {UINT64_C(0xbd49d14aa79dbc82), UINT64_C(0x4b2d8644d8a74e18)}, /* 5^272 */
    {UINT64_C(0xd226fc195c6a2f8c), UINT64_C(0x73832eec6fff3111)}, /* 5^288 */
    {UINT64_C(0xe950df20247c83fd), UINT64_C(0x47c6b82ef32a2069)}, /* 5^304 */
};
