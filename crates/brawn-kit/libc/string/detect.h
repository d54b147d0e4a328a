/* Which level a CPU gets, as a pure function of what it says, so that a test can be a CPU that lies. */
#ifndef BRAWN_DETECT_H
#define BRAWN_DETECT_H

#include "brawn_string.h"

/* What cpuid and xgetbv gave; a leaf that the CPU lacks is 0. */
struct cpu_report {
    uint32_t leaf1_ecx;
    uint32_t leaf7_ebx;
    uint32_t leaf7_ecx;
    uint32_t xcr0;
};

#define LEAF1_ECX_OSXSAVE (1u << 27)
#define LEAF1_ECX_AVX (1u << 28)
#define LEAF7_EBX_BMI1 (1u << 3)
#define LEAF7_EBX_AVX2 (1u << 5)
#define LEAF7_EBX_BMI2 (1u << 8)
#define LEAF7_EBX_ERMS (1u << 9)
#define LEAF7_EBX_AVX512 (1u << 16 | 1u << 17 | 1u << 30 | 1u << 31) /* F, DQ, BW, VL */
#define LEAF7_ECX_VBMI2 (1u << 6)
#define XCR0_AVX 0x06u    /* the OS saves XMM and YMM */
#define XCR0_AVX512 0xe6u /* and mask registers and ZMM */

/* AVX-512 is asked for together with VBMI2, which Ice Lake, Zen 4 and everything later has: the first cores,
 * which lower their clock as soon as they see 512-bit vectors, lack it. */
INLINE unsigned level_of(const struct cpu_report *cpu) {
    const uint32_t avx = LEAF1_ECX_OSXSAVE | LEAF1_ECX_AVX;
    const uint32_t avx2 = LEAF7_EBX_BMI1 | LEAF7_EBX_AVX2 | LEAF7_EBX_BMI2;
    if ((cpu->leaf1_ecx & avx) != avx || (cpu->xcr0 & XCR0_AVX) != XCR0_AVX ||
        (cpu->leaf7_ebx & avx2) != avx2) {
        return LEVEL_BASELINE;
    }
    if ((cpu->xcr0 & XCR0_AVX512) != XCR0_AVX512 || (cpu->leaf7_ebx & LEAF7_EBX_AVX512) != LEAF7_EBX_AVX512 ||
        !(cpu->leaf7_ecx & LEAF7_ECX_VBMI2)) {
        return LEVEL_AVX2;
    }
    return LEVEL_AVX512;
}

#endif
