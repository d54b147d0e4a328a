/* Whether the CPU has FMA and AVX2, found by the first call that asks: two cpuid, which trap in a virtual machine. It is
 * a byte of this family's own, as the string functions may be musl's. */
#include "level.h"

#include <cpuid.h>

#define LEAF1_ECX (1u << 12 | 1u << 19 | 1u << 27 | 1u << 28) /* FMA, SSE4.1, OSXSAVE, AVX */
#define LEAF7_EBX (1u << 3 | 1u << 5 | 1u << 8)               /* BMI1, AVX2, BMI2 */
#define LEAF81_ECX (1u << 5)                                  /* LZCNT */
#define XCR0_AVX 0x06u                                        /* the OS saves XMM and YMM */

/* The highest level that the string functions may use, where they are the kit's: an executable that is held to SSE2
 * is held to it here. */
extern __attribute__((weak)) const volatile unsigned char __brawn_string_level_max;

unsigned char __brawn_math_level = MATH_UNKNOWN;

static unsigned look_at_cpu(void) {
    if (&__brawn_string_level_max && __brawn_string_level_max < 2) {
        return MATH_BASELINE;
    }
    uint32_t a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & LEAF1_ECX) != LEAF1_ECX) {
        return MATH_BASELINE;
    }
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & XCR0_AVX) != XCR0_AVX || !__get_cpuid_count(7, 0, &a, &b, &c, &d) ||
        (b & LEAF7_EBX) != LEAF7_EBX || !__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & LEAF81_ECX)) {
        return MATH_BASELINE;
    }
    return MATH_FMA;
}

COLD unsigned __brawn_math_detect(void) {
    const unsigned level = look_at_cpu();
    __atomic_store_n(&__brawn_math_level, (unsigned char)level, __ATOMIC_RELAXED);
    return level;
}
