/* The level in use, found by the first long call of the process with two cpuid at most: each traps in a
 * virtual machine and costs microseconds. Two threads may find it at once; both write the same. */
#include "detect.h"

#if defined(__x86_64__)

#include <cpuid.h>

#define level_max NAME(__brawn_string_level_max)
#define rep_flags NAME(__brawn_string_rep)
#define level_from NAME(__brawn_string_level_from)

HIDDEN unsigned char brawn_level = LEVEL_UNKNOWN;

/* The knob: no level above this is used. An overlay is made with another value by writing this one byte,
 * which is why the compiler may not know it. */
extern volatile unsigned char level_max;
HIDDEN __attribute__((section(".data.brawn_string_level_max"))) volatile unsigned char level_max =
    LEVEL_AVX512;

/* Whether `rep movsb` and `rep stosb` are worth using for long blocks (ERMS), from the same look at the
 * CPU. */
extern unsigned char rep_flags;
HIDDEN unsigned char rep_flags = 0;

static uint32_t xcr0(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Takes what the CPU says of itself in leaves 1 and 7, and keeps and returns the level that follows. Anyone
 * who was told that by somebody who has looked before, as a library for glibc is, spares the process the
 * look. It runs once, so it need not be aligned as others are. */
extern HIDDEN __attribute__((aligned(4))) unsigned level_from(uint32_t leaf1_ecx, uint32_t leaf7_ebx,
                                                              uint32_t leaf7_ecx);

static __attribute__((used)) COLD unsigned look_at_cpu(void) __asm__("brawn_look_at_cpu");

unsigned look_at_cpu(void) {
    uint32_t a, b, d, leaf1_ecx, leaf7_ebx = 0, leaf7_ecx = 0;
    __cpuid(1, a, b, leaf1_ecx, d);
    if (leaf1_ecx & LEAF1_ECX_OSXSAVE) {
        /* There is a leaf 7, as XSAVE has leaf 13, so the highest leaf need not be asked for. A CPU without
         * gets the baseline whatever leaf 7 says. */
        __cpuid_count(7, 0, a, leaf7_ebx, leaf7_ecx, d);
    }
    return level_from(leaf1_ecx, leaf7_ebx, leaf7_ecx);
}

COLD unsigned level_from(uint32_t leaf1_ecx, uint32_t leaf7_ebx, uint32_t leaf7_ecx) {
    const struct cpu_report cpu = {leaf1_ecx, leaf7_ebx, leaf7_ecx,
                                   leaf1_ecx & LEAF1_ECX_OSXSAVE ? xcr0() : 0};
    const unsigned level_most = level_max;
    unsigned level = level_of(&cpu);
    if (level > level_most) {
        level = level_most;
    }
    __atomic_store_n(&rep_flags, (leaf7_ebx & LEAF7_EBX_ERMS) != 0, __ATOMIC_RELAXED);
    /* Last, so that anyone who sees the level sees the rest. */
    __atomic_store_n(&brawn_level, (unsigned char)level, __ATOMIC_RELEASE);
    return level;
}

/* brawn_detect(): keeps what a call may change, for those who ask in level_now(). */
/* clang-format off */
#define NAME_HERE BRAWN_STRINGIFY(brawn_detect)
__asm__(".pushsection .text.unlikely, \"ax\", @progbits\n\t"
        ".globl " NAME_HERE "\n\t.hidden " NAME_HERE "\n\t.type " NAME_HERE ", @function\n"
        NAME_HERE ":\n\t" CFI("startproc")
        "push %rbp\n\t" CFI("def_cfa_offset 16") CFI("offset %rbp, -16")
        "mov %rsp, %rbp\n\t" CFI("def_cfa_register %rbp")
        "push %rcx\n\tpush %rdx\n\tpush %rsi\n\tpush %rdi\n\t"
        "push %r8\n\tpush %r9\n\tpush %r10\n\tpush %r11\n\t"
        "and $-16, %rsp\n\tcall brawn_look_at_cpu\n\tlea -64(%rbp), %rsp\n\t"
        "pop %r11\n\tpop %r10\n\tpop %r9\n\tpop %r8\n\t"
        "pop %rdi\n\tpop %rsi\n\tpop %rdx\n\tpop %rcx\n\t"
        "pop %rbp\n\t" CFI("def_cfa %rsp, 8") "ret\n\t" CFI("endproc")
        ".size " NAME_HERE ", . - " NAME_HERE "\n\t"
        ".popsection");
/* clang-format on */

#endif
