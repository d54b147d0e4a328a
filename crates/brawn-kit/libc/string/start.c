/* The first code of a program whose string functions are for one kind of processor: it asks the processor,
 * and where the functions would be illegal instructions it ends the process with a line and the status that
 * glibc has for this, 127.
 *
 * It stands in the place of musl's __libc_start_main, which may call memset at once, and goes on to that.
 * What was handed over stays as it is: cpuid and xgetbv change no register but eax, ebx, ecx and edx. */
#include "detect.h"

#if defined(__x86_64__) && defined(BRAWN_LEVEL)

#if BRAWN_LEVEL == LEVEL_AVX512
#define MADE_FOR "x86-64-v4"
#define XCR0_NEEDED XCR0_AVX512
#define LEAF7_NEEDED (LEAF7_EBX_BMI1 | LEAF7_EBX_AVX2 | LEAF7_EBX_BMI2 | LEAF7_EBX_AVX512)
#else
#define MADE_FOR "x86-64-v3"
#define XCR0_NEEDED XCR0_AVX
#define LEAF7_NEEDED (LEAF7_EBX_BMI1 | LEAF7_EBX_AVX2 | LEAF7_EBX_BMI2)
#endif

#define LINE "error: this program is for processors of the level " MADE_FOR ", and this one is below it\n"

/* Its length goes onto the stack as one byte. */
_Static_assert(sizeof LINE <= 128, "the line is too long");

HIDDEN extern const char __brawn_start_line[];
HIDDEN __attribute__((used)) const char __brawn_start_line[] = LINE;

HIDDEN __attribute__((naked)) int __libc_start_main(void);

#define PUSH(what) "push " what "\n\t" CFI("adjust_cfa_offset 8")
#define POP(where) "pop " where "\n\t" CFI("adjust_cfa_offset -8")

/* A jump that is taken ends the process: nothing on the stack matters then. */
int __libc_start_main(void) {
    /* clang-format off */
    __asm__ volatile(
        PUSH("%%rdx") PUSH("%%rcx") PUSH("%%rbx") CFI("rel_offset %%rbx, 0")
        PUSH("$1") POP("%%rax") "cpuid\n\t"
        "not %%ecx\n\ttest %[leaf1], %%ecx\n\tjnz 1f\n\t"
        "xor %%ecx, %%ecx\n\txgetbv\n\tnot %%eax\n\ttest %[xcr0], %%al\n\tjnz 1f\n\t"
        /* ecx is 0 still: the first half of leaf 7. */
        PUSH("$7") POP("%%rax") "cpuid\n\t"
        "not %%ebx\n\ttest %[leaf7], %%ebx\n\tjnz 1f\n\t"
        POP("%%rbx") CFI("same_value %%rbx") POP("%%rcx") POP("%%rdx") "jmp __brawn_libc_start_main\n"
        "1:\n\t" CFI("def_cfa_offset 32") CFI("rel_offset %%rbx, 0") /* write(2, line, length), exit_group(127) */
        PUSH("$1") POP("%%rax") PUSH("$2") POP("%%rdi") "lea __brawn_start_line(%%rip), %%rsi\n\t"
        PUSH("%[length]") POP("%%rdx") "syscall\n\t"
        "mov $231, %%eax\n\t" PUSH("$127") POP("%%rdi") "syscall\n\thlt"
        :
        : [leaf1] "i"(LEAF1_ECX_OSXSAVE | LEAF1_ECX_AVX), [xcr0] "i"(XCR0_NEEDED), [leaf7] "i"(LEAF7_NEEDED),
          [length] "i"(sizeof LINE - 1));
    /* clang-format on */
}

#endif
