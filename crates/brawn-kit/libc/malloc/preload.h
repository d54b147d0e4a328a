/* What changes where a heap becomes a shared library that a program loads before its libc, instead of a part
 * of that libc (-DBRAWN_PRELOAD). One library serves musl and glibc: it is compiled against musl's headers,
 * and takes nothing from either that is not the same in both.
 *
 * - fork: no libc calls into somebody else's heap around it, so handlers are registered. Those of glibc's
 *   programs are in a library that is linked statically; the function behind it is in libc itself.
 * - The lock on the list of streams: anyone who flushes all streams holds it while waiting for one, and anyone who
 *   reads a line holds that one while waiting for the heap. So fork must have it before the heap's locks, and
 *   takes it after the handlers. glibc lets others take it; it is recursive, so that fork can take it again.
 *   musl keeps its own to itself.
 * - Locks: some types of glibc are larger than musl's, so an allocator has its own (futex_pthread.h).
 * - The CPU: glibc knows it already, and tells (2.33 and later), so it need not be asked again.
 * - membarrier: glibc has no function for it (gate.h).
 * - Names: glibc has a few more in the family (family.h). */
#ifndef BRAWN_PRELOAD_H
#define BRAWN_PRELOAD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "../string/past_of.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline void heap_atfork(int who);

/* Each libc has one of the two. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library)
    __attribute__((weak));
#pragma weak pthread_atfork

/* glibc's, of all versions. */
extern void _IO_list_lock(void) __attribute__((weak));
extern void _IO_list_unlock(void) __attribute__((weak));
extern void _IO_list_resetlock(void) __attribute__((weak));

static inline int preload_has_stream_lock(void) {
    return _IO_list_lock != NULL && _IO_list_unlock != NULL && _IO_list_resetlock != NULL;
}

static void preload_before_fork(void) {
    if (preload_has_stream_lock())
        _IO_list_lock();
    heap_atfork(-1);
}

static void preload_after_fork_in_parent(void) {
    heap_atfork(0);
    if (preload_has_stream_lock())
        _IO_list_unlock();
}

/* The lock's owner is the parent's thread, and only the child's own can be given back. */
static void preload_after_fork_in_child(void) {
    heap_atfork(1);
    if (preload_has_stream_lock())
        _IO_list_resetlock();
}

#if defined(__x86_64__)
/* The string functions' own (level.c). */
__attribute__((visibility("hidden"))) unsigned
__brawn_string_level_from(uint32_t leaf1_ecx, uint32_t leaf7_ebx, uint32_t leaf7_ecx);

/* And what they know of the last cache (past.c). */
extern __attribute__((visibility("hidden"))) size_t __brawn_past_from;
extern long sysconf(int name);
enum { PRELOAD_LAST_CACHE = 194 }; /* glibc's _SC_LEVEL3_CACHE_SIZE */

/* glibc's answer for a leaf, of which it has a numbering of its own: 0 is leaf 1, and 1 is leaf 7. */
struct preload_leaf {
    uint32_t cpuid[4]; /* eax, ebx, ecx, edx */
    uint32_t active[4];
};
extern const struct preload_leaf *__x86_get_cpuid_feature_leaf(unsigned number) __attribute__((weak));

/* The first of all constructors, as those of the heaps may copy and clear memory. In a virtual machine each
 * cpuid costs 4 to 13 us, and the string functions would ask for two, and for some more at a large copy. */
static __attribute__((constructor(101))) void preload_level_constructor(void) {
    if (__x86_get_cpuid_feature_leaf != NULL) {
        const struct preload_leaf *const leaf1 = __x86_get_cpuid_feature_leaf(0);
        const struct preload_leaf *const leaf7 = __x86_get_cpuid_feature_leaf(1);
        (void)__brawn_string_level_from(leaf1->cpuid[2], leaf7->cpuid[1], leaf7->cpuid[2]);
        const long cache = sysconf(PRELOAD_LAST_CACHE);
        __brawn_past_from = past_of(cache > 0 ? (size_t)cache : 0);
    }
}
#endif

/* Handlers run in reverse before a fork and in order after it, and this constructor is the first of the
 * process: so the handlers of everyone else can still allocate. No library of its own is named to glibc,
 * which would take the handlers back when that is closed; this one cannot be. */
static __attribute__((constructor(102))) void preload_constructor(void) {
    if (__register_atfork != NULL) {
        (void)__register_atfork(preload_before_fork, preload_after_fork_in_parent,
                                preload_after_fork_in_child, NULL);
    } else if (pthread_atfork != NULL) {
        (void)pthread_atfork(preload_before_fork, preload_after_fork_in_parent, preload_after_fork_in_child);
    }
}

#ifdef __cplusplus
}
#endif

#endif
