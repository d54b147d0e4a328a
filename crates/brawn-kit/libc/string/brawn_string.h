/* What every string function of Brawn is written with: names, weak and hidden symbols, unaligned access, and
 * the choice of a CPU level without IFUNC.
 *
 * A function is one C file with one public symbol. Its entry finishes small sizes in baseline code, and only
 * longer work asks for the level: one byte, 0 until the first long call of the process has looked at the CPU.
 * The long part is a file of its own, written once and compiled once per level into an object each
 * (vector.h).
 *
 * Everything here must work before TLS, the stack canary and relocations: no pointer tables, no errno, no
 * calls to other libc functions but the ones that the table functions.toml names.
 *
 * Flags (functions.toml has them for the kit and for the tests): -O2 -ffreestanding -fno-builtin
 * -fno-stack-protector -fno-tree-loop-distribute-patterns -fPIC -fvisibility=hidden. */
#ifndef BRAWN_STRING_H
#define BRAWN_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- names ------------------------------------------------------------------------------------------- */

#define BRAWN_PASTE_(a, b) a##b
#define BRAWN_PASTE(a, b) BRAWN_PASTE_(a, b)

/* Tests and benchmarks link these functions beside the host's, with -DBRAWN_PREFIX=brawn_. */
#ifdef BRAWN_PREFIX
#define NAME(function) BRAWN_PASTE(BRAWN_PREFIX, function)
#else
#define NAME(function) function
#endif

#define BRAWN_STRINGIFY_(text) #text
#define BRAWN_STRINGIFY(text) BRAWN_STRINGIFY_(text)

#define PUBLIC __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#define NOINLINE __attribute__((noinline))
#ifdef __clang__
#define COLD __attribute__((noinline, cold, minsize))
#else
#define COLD __attribute__((noinline, cold))
#endif
#define INLINE static inline __attribute__((always_inline))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Keeps a compiler from making a conditional move of the branch that this stands in. Where a branch is mostly
 * predicted, what follows need not wait for the values that decide it. */
#define BRANCH() __asm__ volatile("")

/* Makes a compiler compute this here, in a register, and not apart on every path to where it is used: every
 * block of its own is one jump more. */
#define IN_REGISTER(value) __asm__("" : "+r"(value))

/* Before a loop that is not to be unrolled, as it is seldom long and room matters more. */
#ifdef __clang__
#define NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define NO_UNROLL _Pragma("GCC unroll 1")
#endif

/* A second name for a function of this file, weak, as musl has `memrchr` for `__memrchr`. */
#define WEAK_ALIAS(type, name, function, ...)                                                                \
    PUBLIC type NAME(name)                                                                                   \
    __VA_ARGS__ __attribute__((weak, alias(BRAWN_STRINGIFY(NAME(function)))))

/* The sanitizers know nothing of vectors that reach past an operand within an aligned block or a page. Where
 * a function does that on purpose it says OVER_READS, and the tests skip those checks there. */
#if defined(__SANITIZE_ADDRESS__)
#define OVER_READS __attribute__((no_sanitize_address))
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OVER_READS __attribute__((no_sanitize("address")))
#endif
#endif
#ifndef OVER_READS
#define OVER_READS
#endif

/* --- memory access ----------------------------------------------------------------------------------- */

/* Loads and stores of any alignment, which alias anything. */
typedef uint16_t __attribute__((may_alias, aligned(1))) any_u16;
typedef uint32_t __attribute__((may_alias, aligned(1))) any_u32;
typedef uint64_t __attribute__((may_alias, aligned(1))) any_u64;

INLINE uint16_t load16(const void *p) {
    return *(const any_u16 *)p;
}
INLINE uint32_t load32(const void *p) {
    return *(const any_u32 *)p;
}
INLINE uint64_t load64(const void *p) {
    return *(const any_u64 *)p;
}
INLINE void store16(void *p, uint16_t value) {
    *(any_u16 *)p = value;
}
INLINE void store32(void *p, uint32_t value) {
    *(any_u32 *)p = value;
}
INLINE void store64(void *p, uint64_t value) {
    *(any_u64 *)p = value;
}

/* The smallest page of any supported system: a load that does not cross a multiple of this cannot fault when
 * its first byte may be read. */
#define PAGE_BYTES 4096u

INLINE bool crosses_page(const void *p, size_t bytes) {
    return UNLIKELY(((uintptr_t)p & (PAGE_BYTES - 1)) > PAGE_BYTES - bytes);
}

/* Room on the stack, from 12 bytes before `elsewhere` to 16 behind it, for accesses that have none in an
 * operand. It lies in one cache line, and so does what is 64 bytes before it; both are in the red zone or
 * below other locals. */
#define ELSEWHERE                                                                                            \
    unsigned char room[112] __attribute__((aligned(16)));                                                    \
    unsigned char *const elsewhere = (unsigned char *)((uintptr_t)(room + 80) | 16);

/* `p` if `n` is not below `least`, else `elsewhere`, without a branch: accesses of `least` bytes at both ends
 * of n then need no branch on a size that no one can predict. */
INLINE unsigned char *if_room(const unsigned char *p, size_t n, size_t least,
                              const unsigned char *elsewhere) {
#if defined(__x86_64__)
    /* In assembly, or compilers branch after all. */
    __asm__("cmp %2, %1\n\tcmovb %3, %0" : "+r"(p) : "r"(n), "e"(least), "r"(elsewhere) : "cc");
    return (unsigned char *)p;
#else
    return (unsigned char *)(uintptr_t)(n < least ? elsewhere : p);
#endif
}

/* A directive about the stack for debuggers, profilers and unwinders, in assembly that moves the stack
 * pointer. */
#define CFI(directive) ".cfi_" directive "\n\t"
/* The same for a part of a function in another section, which clang before 18 refuses. */
#if defined(__clang_major__) && __clang_major__ < 18
#define CFI_APART(directive)
#else
#define CFI_APART CFI
#endif

/* --- levels ------------------------------------------------------------------------------------------ */

#define LEVEL_UNKNOWN 0
#define LEVEL_BASELINE 1 /* SSE2; Advanced SIMD on aarch64 */
#define LEVEL_AVX2 2     /* AVX2, BMI1, BMI2: x86-64-v3 */
#define LEVEL_AVX512 3   /* and AVX-512 F BW DQ VL on a core that does not slow down for it */

/* DISPATCH_TO_AVX512 defines `function`, which jumps to the variant for this CPU of the long part `family`:
 * one of the objects that are compiled of one file, once per level (LONG_PART in vector.h). DISPATCH_TO_AVX2
 * is for one whose functions gain little from AVX-512 for the room that they take. Everything is a tail call,
 * so that the entry which uses it needs no stack frame.
 *
 * -DBRAWN_LEVEL=2 (x86-64-v3) or 3 (x86-64-v4) fixes the level: then there is one variant, and no
 * question. */
#define VARIANT(family, level) NAME(BRAWN_PASTE(family, level))

/* Some entries begin with one vector of 64 bytes instead of four of 16 where a long call has found AVX-512 already; then
 * they call `function`_avx512. */
#if defined(__x86_64__) && (!defined(BRAWN_LEVEL) || BRAWN_LEVEL == LEVEL_AVX512)
#define HAS_START_AVX512 1
#define AVX512 __attribute__((noinline, target("avx512f,avx512bw,avx512vl,bmi,lzcnt")))
#ifdef BRAWN_LEVEL
#define START_AVX512 true
#else
#define START_AVX512 LIKELY(brawn_level > LEVEL_AVX2)
#endif
#endif

#if defined(__x86_64__) && !defined(BRAWN_LEVEL)

#define brawn_level NAME(__brawn_string_level)
#define brawn_detect NAME(__brawn_string_detect)

/* The level in use; LEVEL_UNKNOWN until the first long call. Any thread may write it, always the same
 * value. */
extern HIDDEN unsigned char brawn_level;

/* Looks at the CPU, remembers and returns the level, which is never LEVEL_UNKNOWN. It changes no register but
 * the one of its result and vectors. */
HIDDEN unsigned brawn_detect(void);

/* The level, which the first long call of the process asks for. In assembly, so that for a call that hardly
 * ever happens (below the red zone) no one needs a stack frame, or a second set of jumps. The call has a
 * section of its own, as in one that holds cold functions it would stand in their way. Who asks may have
 * nothing on the stack but the return address: that is what the section tells debuggers. */
INLINE unsigned level_now(void) {
    unsigned level;
    /* clang-format off */
    __asm__ volatile("movzbl " BRAWN_STRINGIFY(brawn_level) "(%%rip), %0\n\t"
                     "test %0, %0\n\t"
                     "jz 2f\n"
                     "1:\n\t"
                     ".pushsection .text.unlikely.level, \"ax\", @progbits\n"
                     "2:\t" CFI_APART("startproc")
                     "add $-128, %%rsp\n\t" CFI_APART("def_cfa_offset 136")
                     "call " BRAWN_STRINGIFY(brawn_detect) "\n\t"
                     "sub $-128, %%rsp\n\t" CFI_APART("def_cfa_offset 8")
                     "jmp 1b\n\t" CFI_APART("endproc")
                     ".popsection"
                     : "=a"(level) : : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    /* clang-format on */
    return level;
}

#define DISPATCH_TO_AVX512(type, function, family, parameters, arguments)                                    \
    HIDDEN type VARIANT(family, _avx512) parameters;                                                         \
    HIDDEN type VARIANT(family, _avx2) parameters;                                                           \
    HIDDEN type VARIANT(family, _sse2) parameters;                                                           \
    INLINE __attribute__((unused)) type BRAWN_PASTE(function, _avx512) parameters {                          \
        return VARIANT(family, _avx512) arguments;                                                           \
    }                                                                                                        \
    INLINE type function parameters {                                                                        \
        const unsigned level = level_now();                                                                  \
        if (LIKELY(level > LEVEL_AVX2)) {                                                                    \
            return VARIANT(family, _avx512) arguments;                                                       \
        }                                                                                                    \
        if (LIKELY(level >= LEVEL_AVX2)) {                                                                   \
            return VARIANT(family, _avx2) arguments;                                                         \
        }                                                                                                    \
        return VARIANT(family, _sse2) arguments;                                                             \
    }
#define DISPATCH_TO_AVX2(type, function, family, parameters, arguments)                                      \
    HIDDEN type VARIANT(family, _avx2) parameters;                                                           \
    HIDDEN type VARIANT(family, _sse2) parameters;                                                           \
    INLINE type function parameters {                                                                        \
        const unsigned level = level_now();                                                                  \
        if (LIKELY(level >= LEVEL_AVX2)) {                                                                   \
            return VARIANT(family, _avx2) arguments;                                                         \
        }                                                                                                    \
        return VARIANT(family, _sse2) arguments;                                                             \
    }

#else

#define ONLY(level, type, function, family, parameters, arguments)                                           \
    HIDDEN type VARIANT(family, level) parameters;                                                           \
    INLINE type function parameters {                                                                        \
        return VARIANT(family, level) arguments;                                                             \
    }
#if defined(__aarch64__)
#define DISPATCH_TO_AVX512(...) ONLY(_neon, __VA_ARGS__)
#define DISPATCH_TO_AVX2(...) ONLY(_neon, __VA_ARGS__)
#else
#define DISPATCH_TO_AVX2(...) ONLY(_avx2, __VA_ARGS__)
#if BRAWN_LEVEL == LEVEL_AVX512
#define DISPATCH_TO_AVX512(type, function, family, parameters, arguments)                                    \
    ONLY(_avx512, type, function, family, parameters, arguments)                                             \
    INLINE __attribute__((unused)) type BRAWN_PASTE(function, _avx512) parameters {                          \
        return VARIANT(family, _avx512) arguments;                                                           \
    }
#else
#define DISPATCH_TO_AVX512(...) ONLY(_avx2, __VA_ARGS__)
#endif
#endif

#endif

#endif
