/* The names of the heap besides those that C has: the same functions.
 *
 * By some a libc asks its heap itself, because a program may define malloc and free, and the library then goes
 * on with these. glibc's are for a library to preload (../family.h tells more of both). */
#ifndef BRAWN_NAMES_H
#define BRAWN_NAMES_H

#define SAME_AS(target) __attribute__((alias(#target), visibility("default"), used))

#ifdef BRAWN_PRELOAD
#include "guest.h"

static inline void heap_atfork(int who) {
    guest_atfork(who);
}

/* Before anyone else can take 32 keys: for a later one, glibc allocates where a thread sets it. */
static __attribute__((constructor(103))) void key_constructor(void) {
    (void)key_exists();
}

PUBLIC void *pvalloc(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole;
    return unlikely(__builtin_add_overflow(size, page - 1, &whole)) ? fail(ENOMEM)
                                                                    : memalign(page, whole & ~(page - 1));
}

PUBLIC void cfree(void *block) {
    quarantine_free(block);
}

#undef __libc_realloc
#undef __libc_free
extern __typeof__(memalign) __libc_memalign SAME_AS(memalign);
extern __typeof__(valloc) __libc_valloc SAME_AS(valloc), __libc_pvalloc SAME_AS(pvalloc);
#else
#include "backend.h"

#undef __libc_malloc_impl
#undef __libc_realloc
#undef __libc_free
#undef __malloc_atfork
extern __typeof__(malloc) __libc_malloc_impl SAME_AS(malloc);
extern __typeof__(__brawn_atfork) __malloc_atfork SAME_AS(__brawn_atfork);

/* For a libc.a whose record of the process is another than the known one: an overlay leads `__libc` here
 * (crates/brawn-libc/src/overlay.rs), and every lock is taken. */
__attribute__((visibility("hidden"), used)) struct libc __brawn_always_threads = {.need_locks = 1};
#endif

extern __typeof__(malloc) __libc_malloc SAME_AS(malloc);
extern __typeof__(calloc) __libc_calloc SAME_AS(calloc);
extern __typeof__(free) __libc_free SAME_AS(free);
extern __typeof__(realloc) __libc_realloc SAME_AS(realloc);

#endif
