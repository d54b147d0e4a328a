/* Where unwinding begins and where it ends: registers into memory, and back. */
#ifndef BRAWN_UNWIND_ENTRY_H
#define BRAWN_UNWIND_ENTRY_H

/* A function that calls another with one argument more: the registers that its caller has after the call, in columns. What a
   call may change has no value there. */
#if defined(__x86_64__)
#define ENTRY(name, target, argument_1, argument_2)                                                          \
    __asm__(".pushsection .text." #name ",\"ax\",@progbits\n"                                                \
            ".globl " #name "\n"                                                                             \
            ".type " #name ",@function\n"                                                                    \
            ".p2align 4\n" #name ":\n"                                                                       \
            ".cfi_startproc\n"                                                                               \
            "leaq 8(%rsp), %rax\n"                                                                           \
            "movq (%rsp), %r10\n"                                                                            \
            "subq $152, %rsp\n"                                                                              \
            ".cfi_adjust_cfa_offset 152\n"                                                                   \
            "movq %rbx, 24(%rsp)\n"                                                                          \
            "movq %rbp, 48(%rsp)\n"                                                                          \
            "movq %rax, 56(%rsp)\n"                                                                          \
            "movq %r12, 96(%rsp)\n"                                                                          \
            "movq %r13, 104(%rsp)\n"                                                                         \
            "movq %r14, 112(%rsp)\n"                                                                         \
            "movq %r15, 120(%rsp)\n"                                                                         \
            "movq %r10, 128(%rsp)\n"                                                                         \
            "movq %rsp, %" argument_1 "\n"                                                                   \
            "call " #target "\n"                                                                             \
            "addq $152, %rsp\n"                                                                              \
            ".cfi_adjust_cfa_offset -152\n"                                                                  \
            "ret\n"                                                                                          \
            ".cfi_endproc\n"                                                                                 \
            ".size " #name ", . - " #name "\n"                                                               \
            ".popsection\n")
#else
#define ENTRY(name, target, argument_1, argument_2)                                                          \
    __asm__(".pushsection .text." #name ",\"ax\",@progbits\n"                                                \
            ".globl " #name "\n"                                                                             \
            ".type " #name ",%function\n"                                                                    \
            ".p2align 4\n" #name ":\n"                                                                       \
            ".cfi_startproc\n"                                                                               \
            "mov x16, sp\n"                                                                                  \
            "sub sp, sp, #336\n"                                                                             \
            ".cfi_def_cfa_offset 336\n"                                                                      \
            "stp x19, x20, [sp, #152]\n"                                                                     \
            "stp x21, x22, [sp, #168]\n"                                                                     \
            "stp x23, x24, [sp, #184]\n"                                                                     \
            "stp x25, x26, [sp, #200]\n"                                                                     \
            "stp x27, x28, [sp, #216]\n"                                                                     \
            "stp x29, x30, [sp, #232]\n"                                                                     \
            ".cfi_offset 30, -96\n"                                                                          \
            "stp x16, x30, [sp, #248]\n"                                                                     \
            "stp d8, d9, [sp, #264]\n"                                                                       \
            "stp d10, d11, [sp, #280]\n"                                                                     \
            "stp d12, d13, [sp, #296]\n"                                                                     \
            "stp d14, d15, [sp, #312]\n"                                                                     \
            "mov " argument_2 ", sp\n"                                                                       \
            "bl " #target "\n"                                                                               \
            "ldr x30, [sp, #240]\n"                                                                          \
            "add sp, sp, #336\n"                                                                             \
            ".cfi_restore 30\n"                                                                              \
            ".cfi_def_cfa_offset 0\n"                                                                        \
            "ret\n"                                                                                          \
            ".cfi_endproc\n"                                                                                 \
            ".size " #name ", . - " #name "\n"                                                               \
            ".popsection\n")
#endif

#define ENTRY_1(name, target) ENTRY(name, target, "rsi", "x1")
#define ENTRY_2(name, target) ENTRY(name, target, "rdx", "x2")
#define ENTRY_3(name, target) ENTRY(name, target, "rcx", "x3")

/* Goes on with these registers, less those that the jump needs itself and no code behind a landing pad reads. The stack comes
   last: what is below it, a signal may overwrite. */
__attribute__((noreturn)) static inline void install(const uintptr_t *r) {
#if defined(__x86_64__)
    __asm__ volatile("movq 0(%0), %%rax\n"
                     "movq 8(%0), %%rdx\n"
                     "movq 24(%0), %%rbx\n"
                     "movq 32(%0), %%rsi\n"
                     "movq 48(%0), %%rbp\n"
                     "movq 64(%0), %%r8\n"
                     "movq 72(%0), %%r9\n"
                     "movq 80(%0), %%r10\n"
                     "movq 88(%0), %%r11\n"
                     "movq 96(%0), %%r12\n"
                     "movq 104(%0), %%r13\n"
                     "movq 112(%0), %%r14\n"
                     "movq 120(%0), %%r15\n"
                     "movq 128(%0), %%rcx\n"
                     "movq 56(%0), %%rsp\n"
                     "jmpq *%%rcx\n"
                     :
                     : "D"(r)
                     : "memory");
#else
    register const uintptr_t *x16 __asm__("x16") = r;
    __asm__ volatile("ldp x0, x1, [%0]\n"
                     "ldp x2, x3, [%0, #16]\n"
                     "ldp x4, x5, [%0, #32]\n"
                     "ldp x6, x7, [%0, #48]\n"
                     "ldp x8, x9, [%0, #64]\n"
                     "ldp x10, x11, [%0, #80]\n"
                     "ldp x12, x13, [%0, #96]\n"
                     "ldr x14, [%0, #112]\n"
                     "ldp x19, x20, [%0, #152]\n"
                     "ldp x21, x22, [%0, #168]\n"
                     "ldp x23, x24, [%0, #184]\n"
                     "ldp x25, x26, [%0, #200]\n"
                     "ldp x27, x28, [%0, #216]\n"
                     "ldp x29, x30, [%0, #232]\n"
                     "ldp d8, d9, [%0, #264]\n"
                     "ldp d10, d11, [%0, #280]\n"
                     "ldp d12, d13, [%0, #296]\n"
                     "ldp d14, d15, [%0, #312]\n"
                     "ldp x15, x17, [%0, #248]\n"
                     "mov sp, x15\n"
                     "br x17\n"
                     :
                     : "r"(x16)
                     : "memory");
#endif
    __builtin_unreachable();
}

#endif
