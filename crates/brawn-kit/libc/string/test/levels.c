/* CPUs that say one thing and mean another. */
#include "levels.h"

#include <stdio.h>

#if defined(__x86_64__)
#include "../detect.h"

/* What a processor of the newest kind under a current system says. */
static const struct cpu_report newest = {
    .leaf1_ecx = LEAF1_ECX_OSXSAVE | LEAF1_ECX_AVX,
    .leaf7_ebx = LEAF7_EBX_BMI1 | LEAF7_EBX_AVX2 | LEAF7_EBX_BMI2 | LEAF7_EBX_AVX512,
    .leaf7_ecx = LEAF7_ECX_VBMI2,
    .xcr0 = 0xe7,
};

static unsigned without(uint32_t leaf1_ecx, uint32_t leaf7_ebx, uint32_t leaf7_ecx, uint32_t xcr0) {
    struct cpu_report cpu = newest;
    cpu.leaf1_ecx &= ~leaf1_ecx;
    cpu.leaf7_ebx &= ~leaf7_ebx;
    cpu.leaf7_ecx &= ~leaf7_ecx;
    cpu.xcr0 &= ~xcr0;
    return level_of(&cpu);
}

unsigned wrong_levels(void) {
    const struct {
        const char *what;
        unsigned level, wanted;
    } cases[] = {
        {"the newest", without(0, 0, 0, 0), LEVEL_AVX512},
        {"no OSXSAVE", without(LEAF1_ECX_OSXSAVE, 0, 0, 0), LEVEL_BASELINE},
        {"no AVX", without(LEAF1_ECX_AVX, 0, 0, 0), LEVEL_BASELINE},
        {"AVX that the system does not save", without(0, 0, 0, 0xe6), LEVEL_BASELINE},
        {"YMM that the system does not save", without(0, 0, 0, 0x04), LEVEL_BASELINE},
        {"ZMM that the system does not save", without(0, 0, 0, 0xe0), LEVEL_AVX2},
        {"upper ZMM that the system does not save", without(0, 0, 0, 0x80), LEVEL_AVX2},
        {"no AVX2", without(0, LEAF7_EBX_AVX2, 0, 0), LEVEL_BASELINE},
        {"no BMI2", without(0, LEAF7_EBX_BMI2, 0, 0), LEVEL_BASELINE},
        {"no AVX512BW", without(0, 1u << 30, 0, 0), LEVEL_AVX2},
        {"no AVX512VL", without(0, 1u << 31, 0, 0), LEVEL_AVX2},
        {"the first AVX-512, which lowers the clock", without(0, 0, LEAF7_ECX_VBMI2, 0), LEVEL_AVX2},
        {"nothing", without(~0u, ~0u, ~0u, ~0u), LEVEL_BASELINE},
    };
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].level != cases[i].wanted) {
            fprintf(stderr, "FAILED detection, %s: level %u, not %u\n", cases[i].what, cases[i].level,
                    cases[i].wanted);
            wrong++;
        }
    }
    return wrong;
}
#else
unsigned wrong_levels(void) {
    return 0;
}
#endif
