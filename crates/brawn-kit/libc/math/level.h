/* What every mathematical function of Brawn is written with: names, and the choice of a form for this CPU.
 *
 * On x86_64 the fast form of a function is compiled for AVX2 and FMA, between FAST_BEGIN and FAST_END, and stands in
 * the same object as its entry, which asks one byte and jumps. Without FMA the entry goes to musl's own function,
 * which stays behind it. On aarch64, which always has FMA, the fast form is the function. */
#ifndef BRAWN_MATH_LEVEL_H
#define BRAWN_MATH_LEVEL_H

#include <stdint.h>

#define BRAWN_PASTE_(a, b) a##b
#define BRAWN_PASTE(a, b) BRAWN_PASTE_(a, b)
#define BRAWN_STRINGIFY_(text) #text
#define BRAWN_STRINGIFY(text) BRAWN_STRINGIFY_(text)

/* Tests link these functions beside musl's, with -DBRAWN_PREFIX=kit_. */
#ifdef BRAWN_PREFIX
#define NAME(function) BRAWN_PASTE(BRAWN_PREFIX, function)
#define MUSL(function) function
#else
#define NAME(function) function
#define MUSL(function) __brawn_musl_##function
#endif

#define PUBLIC __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#define COLD __attribute__((noinline, cold))
#define INLINE static inline __attribute__((always_inline))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A second name of a function of this file, weak, as musl has `drem` for `remainder`. */
#define WEAK_ALIAS(type, name, function, ...)                                                                \
    PUBLIC type NAME(name)                                                                                   \
    __VA_ARGS__ __attribute__((weak, alias(BRAWN_STRINGIFY(NAME(function)))))

#if defined(__x86_64__)

#define MATH_UNKNOWN 0
#define MATH_BASELINE 1 /* SSE2 */
#define MATH_FMA 2      /* AVX2 and FMA, and with them SSE4.1 */

/* MATH_UNKNOWN until the first call of the process that asks. Any thread may write it, always the same value. */
extern HIDDEN unsigned char __brawn_math_level;

/* Looks at the CPU, remembers and returns the level, which is never MATH_UNKNOWN. */
HIDDEN unsigned __brawn_math_detect(void);

/* clang-format off */
#define BRAWN_PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef __clang__
#define FAST_BEGIN BRAWN_PRAGMA(clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,lzcnt"))), apply_to = function))
#define FAST_END _Pragma("clang attribute pop")
#else
#define FAST_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,fma,bmi,bmi2,lzcnt\")")
#define FAST_END _Pragma("GCC pop_options")
#endif
/* clang-format on */

/* The same for one function: in a macro, gcc 12 loses what follows a pragma. */
#define FAST_TARGET __attribute__((target("avx2,fma,bmi,bmi2,lzcnt")))

#define FAST(function) BRAWN_PASTE(function, _fma)
/* A fast form that needs a stack frame would have it made before the look at the CPU. gcc moves more. */
#define FAST_DECLARE_APART(type, function, parameters)                                                       \
    static type FAST(function)                                                                               \
    parameters __attribute__((noinline));
#ifdef __clang__
#define FAST_DECLARE(type, function, parameters) static type FAST(function) parameters;
#else
#define FAST_DECLARE FAST_DECLARE_APART
#endif

/* The entry of a function whose fast form is defined, and of what works without FMA. The fast form is inlined into it, so
 * that its first instructions are this comparison and two jumps that are not taken. The compiler does not know that what
 * it moves before them may be missing: the build of the kit looks at what stands there. */
#define DISPATCH_OR(type, function, parameters, arguments, without)                                          \
    PUBLIC type NAME(function) parameters;                                                                   \
    static COLD type function##_first parameters {                                                           \
        (void)__brawn_math_detect();                                                                         \
        return NAME(function) arguments;                                                                     \
    }                                                                                                        \
    FAST_TARGET PUBLIC type NAME(function) parameters {                                                      \
        __asm__ goto("cmpb %0, %1\n\tjb %l2\n\tje %l3"                                                       \
                     :                                                                                       \
                     : "i"(MATH_BASELINE), "m"(__brawn_math_level)                                           \
                     : "cc"                                                                                  \
                     : first, baseline);                                                                     \
        return FAST(function) arguments;                                                                     \
    first:                                                                                                   \
        return function##_first arguments;                                                                   \
    baseline:                                                                                                \
        return without arguments;                                                                            \
    }

#define DISPATCH(type, function, parameters, arguments)                                                      \
    extern type MUSL(function) parameters;                                                                   \
    DISPATCH_OR(type, function, parameters, arguments, MUSL(function))

#else

#define FAST_BEGIN
#define FAST_END
#define FAST(function) NAME(function)
#define FAST_DECLARE(type, function, parameters) PUBLIC type NAME(function) parameters;
#define FAST_DECLARE_APART FAST_DECLARE
#define DISPATCH(type, function, parameters, arguments) PUBLIC type NAME(function) parameters;
#define DISPATCH_OR(type, function, parameters, arguments, without)                                          \
    DISPATCH(type, function, parameters, arguments)

#endif

#endif
