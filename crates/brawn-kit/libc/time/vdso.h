/* Functions that the kernel puts into each process: looked up by musl at the first call. */
#ifndef BRAWN_VDSO_H
#define BRAWN_VDSO_H

#include "brawn_time.h"

#if defined(__x86_64__)
#define VDSO_VERSION "LINUX_2.6"
#define VDSO_NAME(name) "__vdso_" name
#elif defined(__aarch64__)
#define VDSO_VERSION "LINUX_2.6.39"
#define VDSO_NAME(name) "__kernel_" name
#else
#error "no names of the vdso for this architecture"
#endif

extern void *__vdsosym(const char *version, const char *name);
extern int __clock_gettime(int clock, struct brawn_timespec *time);

/* The function of this name, or NULL. `*known` is 0 until it was looked for, then its address, or 1 for none. */
static inline void *vdso_find(uintptr_t *known, const char *name) {
    uintptr_t at = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (__builtin_expect(at <= 1, 0)) {
        if (at)
            return NULL;
        at = (uintptr_t)__vdsosym(VDSO_VERSION, name);
        __atomic_store_n(known, at ? at : 1, __ATOMIC_RELAXED);
    }
    return (void *)at;
}

#endif
