/* What jemalloc's configure script would find out, for musl on x86_64 and aarch64. What is not defined here
 * is off; see jemalloc_internal_defs.h.in of jemalloc for what each name means. */
#ifndef BRAWN_JEMALLOC_INTERNAL_DEFS_H
#define BRAWN_JEMALLOC_INTERNAL_DEFS_H

#if defined(__x86_64__)
#define CPU_SPINWAIT __asm__ volatile("pause")
#define LG_VADDR 48
/* The page size is the same on every x86_64 kernel. */
#define LG_PAGE 12
#elif defined(__aarch64__)
#define CPU_SPINWAIT __asm__ volatile("isb")
#define LG_VADDR 48
/* Kernels with pages of 4, 16 and 64 KiB exist: the largest serves them all. */
#define LG_PAGE 16
#else
#error "jemalloc has not been configured for this architecture"
#endif
#define HAVE_CPU_SPINWAIT 1
#define LG_HUGEPAGE 21
#define LG_SIZEOF_INT 2
#define LG_SIZEOF_LONG 3
#define LG_SIZEOF_LONG_LONG 3
#define LG_SIZEOF_INTMAX_T 3

#define JEMALLOC_C11_ATOMICS
#define JEMALLOC_GCC_ATOMIC_ATOMICS
#define JEMALLOC_GCC_U8_ATOMIC_ATOMICS
#define JEMALLOC_HAVE_BUILTIN_CLZ
#define JEMALLOC_INTERNAL_UNREACHABLE __builtin_unreachable
#define JEMALLOC_INTERNAL_FFSLL __builtin_ffsll
#define JEMALLOC_INTERNAL_FFSL __builtin_ffsl
#define JEMALLOC_INTERNAL_FFS __builtin_ffs
/* The compiler's own would call its runtime library on processors without such an instruction. */
#define JEMALLOC_INTERNAL_POPCOUNTL kit_popcount
#define JEMALLOC_INTERNAL_POPCOUNT kit_popcount
#define JEMALLOC_HAS_ALLOCA_H 1
#define JEMALLOC_HAS_RESTRICT
#define JEMALLOC_HAVE_INT128

#define JEMALLOC_USE_SYSCALL
#define JEMALLOC_HAVE_CLOCK_MONOTONIC
#define JEMALLOC_HAVE_CLOCK_MONOTONIC_COARSE
#define JEMALLOC_HAVE_CLOCK_REALTIME
#define JEMALLOC_HAVE_PTHREAD
#define JEMALLOC_THREADED_INIT
#define JEMALLOC_TLS
#define JEMALLOC_TLS_MODEL
#define JEMALLOC_BACKGROUND_THREAD

#define JEMALLOC_FILL
#define JEMALLOC_CACHE_OBLIVIOUS
#define JEMALLOC_MAPS_COALESCE
#define JEMALLOC_RETAIN
#define JEMALLOC_HAVE_MADVISE
#define JEMALLOC_HAVE_MADVISE_HUGE
#define JEMALLOC_PURGE_MADVISE_FREE
#define JEMALLOC_PURGE_MADVISE_DONTNEED
#define JEMALLOC_PURGE_MADVISE_DONTNEED_ZEROS
#define JEMALLOC_MADVISE_DONTDUMP
/* Where the kernel refuses it, jemalloc asks once and goes on without. */
#define JEMALLOC_HAVE_PROCESS_MADVISE
#define EXPERIMENTAL_SYS_PROCESS_MADVISE_NR 440
#define JEMALLOC_PROC_SYS_VM_OVERCOMMIT_MEMORY
#define JEMALLOC_THP
#define JEMALLOC_HAVE_MPROTECT
#define JEMALLOC_HAVE_ASM_VOLATILE

/* The options are those of the knobs: see jemalloc.c. */
#define JEMALLOC_CONFIG_MALLOC_CONF ""

#endif
