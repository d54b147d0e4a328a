/* Frames whose tables say what compilers seldom say, tables that a program registers, and tables that are damaged. Written by
   hand: `outer` puts known values into registers that calls keep, `NAME` hides them in its own way and calls `probe`, and that
   asks the unwinder for them. Prints "whole". */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

extern void __register_frame(void *begin);
extern void __deregister_frame(void *begin);
extern void __register_frame_info(const void *begin, void *object);
extern void *__deregister_frame_info(const void *begin);
extern const void *_Unwind_Find_FDE(const void *pc, void *bases);

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            printf("line %d: not %s\n", __LINE__, #condition);                                               \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

void probe(void);
void outer(void (*inner)(void (*)(void)), void (*last)(void));
void outer_end(void);

#if defined(__x86_64__)
enum { FIRST = 3, SECOND = 12, VALUE_OFFSET = 16 };
__asm__(".text\n.globl outer, outer_end\n"
        "outer:\n.cfi_startproc\n"
        "pushq %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_offset 3, -16\n"
        "pushq %r12\n.cfi_adjust_cfa_offset 8\n.cfi_offset 12, -24\n"
        "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "movq %rdi, %rax\nmovq %rsi, %rdi\n"
        "movq $0x1111, %rbx\nmovq $0x2222, %r12\n"
        "call *%rax\n"
        "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
        "popq %r12\n.cfi_adjust_cfa_offset -8\n"
        "popq %rbx\n.cfi_adjust_cfa_offset -8\n"
        "ret\n.cfi_endproc\nouter_end:\n");
/* 24 bytes below the return address: the two registers, and a word that a function may use. */
#define HIDE(name, tables, more)                                                                             \
    void name(void (*last)(void));                                                                           \
    __asm__(".text\n.globl " #name "\n" #name ":\n.cfi_startproc\n"                                          \
            "subq $24, %rsp\n.cfi_adjust_cfa_offset 24\n"                                                    \
            "movq %rbx, 0(%rsp)\nmovq %r12, 8(%rsp)\n" more "\n"                                             \
            "movq $0x3333, %rbx\nmovq $0x4444, %r12\n" tables "\n"                                           \
            "call *%rdi\n"                                                                                   \
            "movq 0(%rsp), %rbx\nmovq 8(%rsp), %r12\n"                                                       \
            ".cfi_restore 3\n.cfi_restore 12\n.cfi_def_cfa 7, 32\n"                                          \
            "addq $24, %rsp\n.cfi_adjust_cfa_offset -24\nret\n.cfi_endproc\n");
#define AT_1 ".cfi_offset 3, -32\n"
#define AT_2 ".cfi_offset 12, -24\n"
#define EXPRESSION_1 ".cfi_escape 0x10, 3, 2, 0x77, 0\n"      /* breg7 0 */
#define VALUE_2 ".cfi_escape 0x16, 12, 3, 0x0a, 0x22, 0x22\n" /* const2u */
#define CFA_EXPRESSION                                                                                       \
    ".cfi_escape 0x0f, 6, 0x77, 48, 0x12, 0x13, 0x40, 0x1c\n" /* sp + 48, dup, drop, minus 16 */
#else
enum { FIRST = 19, SECOND = 20, VALUE_OFFSET = 8 };
__asm__(".text\n.globl outer, outer_end\n"
        "outer:\n.cfi_startproc\n"
        "stp x29, x30, [sp, #-32]!\n.cfi_adjust_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24\n"
        "stp x19, x20, [sp, #16]\n.cfi_offset 19, -16\n.cfi_offset 20, -8\n"
        "mov x9, x0\nmov x0, x1\nmov x19, #0x1111\nmov x20, #0x2222\n"
        "blr x9\n"
        "ldp x19, x20, [sp, #16]\nldp x29, x30, [sp], #32\n"
        ".cfi_restore 19\n.cfi_restore 20\n.cfi_restore 29\n.cfi_restore 30\n.cfi_def_cfa_offset 0\n"
        "ret\n.cfi_endproc\nouter_end:\n");
#define HIDE(name, tables, more)                                                                             \
    void name(void (*last)(void));                                                                           \
    __asm__(".text\n.globl " #name "\n" #name ":\n.cfi_startproc\n"                                          \
            "sub sp, sp, #32\n.cfi_adjust_cfa_offset 32\n"                                                   \
            "stp x19, x20, [sp]\nstr x30, [sp, #24]\n.cfi_offset 30, -8\n" more "\n"                         \
            "mov x19, #0x3333\nmov x20, #0x4444\n" tables "\n"                                               \
            "blr x0\n"                                                                                       \
            "ldp x19, x20, [sp]\nldr x30, [sp, #24]\n"                                                       \
            ".cfi_restore 19\n.cfi_restore 20\n.cfi_restore 30\n.cfi_def_cfa 31, 32\n"                       \
            "add sp, sp, #32\n.cfi_adjust_cfa_offset -32\nret\n.cfi_endproc\n");
#define AT_1 ".cfi_offset 19, -32\n"
#define AT_2 ".cfi_offset 20, -24\n"
#define EXPRESSION_1 ".cfi_escape 0x10, 19, 2, 0x8f, 0\n" /* breg31 0 */
#define VALUE_2 ".cfi_escape 0x16, 20, 3, 0x0a, 0x22, 0x22\n"
#define CFA_EXPRESSION ".cfi_escape 0x0f, 6, 0x8f, 48, 0x12, 0x13, 0x40, 0x1c\n"
#endif

HIDE(plain, AT_1 AT_2, "")
HIDE(expressions, EXPRESSION_1 VALUE_2, "")
HIDE(cfa_by_expression, AT_1 AT_2 CFA_EXPRESSION, "")
HIDE(remembered,
     AT_1 ".cfi_remember_state\n.cfi_undefined 30\n" AT_2 ".cfi_remember_state\n.cfi_def_cfa_offset 4096\n"
          "nop\n.cfi_restore_state\nnop\n.cfi_restore_state\n" AT_2,
     "")
HIDE(last_remembered, ".cfi_remember_state\n" AT_1 AT_2, "")
/* The value itself is the CFA less two units of the table. */
#if defined(__x86_64__)
HIDE(by_value_offset, AT_1 ".cfi_escape 0x14, 12, 2\n", "")
#else
HIDE(by_value_offset, AT_1 ".cfi_escape 0x14, 20, 2\n", "")
#endif

static int seen, code_seen;
static uintptr_t first, second, below;
static void *code_low, *code_high;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *argument) {
    uintptr_t ip = _Unwind_GetIP(context);
    (void)argument;
    if (ip > (uintptr_t)code_low && ip <= (uintptr_t)code_high)
        code_seen++;
    if (ip > (uintptr_t)outer && ip < (uintptr_t)outer_end) {
        seen++;
        first = _Unwind_GetGR(context, FIRST);
        second = _Unwind_GetGR(context, SECOND);
        below = _Unwind_GetCFA(context);
    }
    return _URC_NO_REASON;
}

void probe(void) {
    _Unwind_Backtrace(look, NULL);
}

/* Twice: from the table, and from what is kept of it. */
static void hidden(void (*inner)(void (*)(void)), int line) {
    for (int i = 0; i < 2; i++) {
        seen = 0;
        first = second = 0;
        outer(inner, probe);
        if (seen != 1 || first != 0x1111 || (second != 0x2222 && inner != by_value_offset) ||
            (inner == by_value_offset && second != below - VALUE_OFFSET)) {
            printf("line %d: %d, %#lx, %#lx\n", line, seen, (unsigned long)first, (unsigned long)second);
            exit(1);
        }
    }
}

/* Code that the program makes, with a table of it. */
struct made {
    unsigned char code[64];
    struct {
        uint32_t length, id;
        unsigned char version, letters[3], code_align, data_align, column, data_size, encoding, program[15];
    } cie;
    struct {
        uint32_t length, back;
        uint64_t start, size;
        unsigned char data_size, program[15];
    } fde;
    uint32_t end;
};

static void make(struct made *made) {
#if defined(__x86_64__)
    static const unsigned char code[] = {0x48, 0x83, 0xec, 0x18, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x18, 0xc3};
    static const unsigned char first_program[] = {0x0c, 7, 8, 0x90, 1}, program[] = {0x44, 0x0e, 32};
    made->cie.column = 16;
#else
    static const uint32_t code[] = {0xf81e0ffe, 0xd63f0000, 0xf84207fe,
                                    0xd65f03c0}; /* str x30, [sp, #-32]!; blr x0; … */
    static const unsigned char first_program[] = {0x0c, 31, 0}, program[] = {0x44, 0x0e, 32, 0x9e, 4};
    made->cie.column = 30;
#endif
    memcpy(made->code, code, sizeof code);
    made->cie.length = sizeof made->cie - 4;
    made->cie.version = 1;
    memcpy(made->cie.letters, "zR", 3);
    made->cie.code_align = 1;
    made->cie.data_align = 0x78;
    made->cie.data_size = 1;
    made->cie.encoding = 0;
    memcpy(made->cie.program, first_program, sizeof first_program);
    made->fde.length = sizeof made->fde - 4;
    made->fde.back = (uint32_t)((char *)&made->fde.back - (char *)&made->cie);
    made->fde.start = (uintptr_t)made->code;
    made->fde.size = sizeof made->code;
    memcpy(made->fde.program, program, sizeof program);
    code_low = made->code;
    code_high = made->code + sizeof made->code;
}

static void run(struct made *made, int wanted, int line) {
    void (*call)(void (*)(void));
    void *code = made->code;
    memcpy(&call, &code, sizeof call);
    seen = code_seen = 0;
    outer(call, probe);
    if (seen != wanted || code_seen != wanted) {
        printf("line %d: %d and %d frames\n", line, seen, code_seen);
        exit(1);
    }
}

/* What is damaged ends the walk, and nothing else. */
static void damage(struct made *made) {
    struct made whole = *made;
    uint32_t state = 1;
    unsigned char *bytes = (unsigned char *)&made->cie;
    for (int i = 0; i < 20000; i++) {
        *made = whole;
        for (int changes = 1 + i % 3; changes > 0; changes--) {
            state = state * 1664525 + 1013904223;
            /* Not the places of the code, and not what leads from one entry to another. */
            size_t at = (state >> 8) % (sizeof made->cie + sizeof made->fde);
            size_t of_fde = at - sizeof made->cie;
            if (at < 8 || (at >= sizeof made->cie && of_fde < 24))
                continue;
            /* No register is read through: only what cannot be carried out, and what says where the table ends. */
            unsigned char value = (unsigned char)(state >> 16);
            bytes[at] = value > 0x30 ? 0x3f : 0x1c;
        }
        seen = code_seen = 0;
        const void *entry = made;
        char bases[24];
        entry = _Unwind_Find_FDE(made->code + 8, bases);
        CHECK(entry == NULL || entry == (void *)&made->fde);
    }
    *made = whole;
}

int main(void) {
    hidden(plain, __LINE__);
    hidden(expressions, __LINE__);
    hidden(cfa_by_expression, __LINE__);
    hidden(remembered, __LINE__);
    hidden(last_remembered, __LINE__);
    hidden(by_value_offset, __LINE__);

    struct made *made =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(made != MAP_FAILED);
    make(made);
    __builtin___clear_cache((char *)made, (char *)made + 4096);
    run(made, 0, __LINE__);
    __register_frame(&made->cie);
    run(made, 1, __LINE__);
    run(made, 1, __LINE__);
    damage(made);
    __deregister_frame(&made->cie);
    run(made, 0, __LINE__);
    /* One entry alone. */
    made->end = 16;
    __register_frame(&made->fde);
    run(made, 1, __LINE__);
    __deregister_frame(&made->fde);
    made->end = 0;
    void *object[6];
    __register_frame_info(&made->cie, object);
    run(made, 1, __LINE__);
    CHECK(__deregister_frame_info(&made->cie) == object);
    run(made, 0, __LINE__);
    puts("whole");
    return 0;
}
