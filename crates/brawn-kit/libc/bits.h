#ifndef BRAWN_BITS_H
#define BRAWN_BITS_H

/* How many bits are set. Where the processor need not have an instruction for it, gcc's own calls its runtime
 * library, and rustc does not bring that function. */
static inline int kit_popcount(unsigned long long bits) {
    bits -= (bits >> 1) & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return (int)((bits * 0x0101010101010101) >> 56);
}

#endif
