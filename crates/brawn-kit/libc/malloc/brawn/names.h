/* The names by which a libc.a asks its heap for memory itself: the same functions, because a program may define
 * malloc and free itself, and the library then goes on with these. */
#ifndef BRAWN_NAMES_H
#define BRAWN_NAMES_H

#include "backend.h"

#undef __libc_malloc_impl
#undef __libc_realloc
#undef __libc_free
#undef __malloc_atfork

#define SAME_AS(target) __attribute__((alias(#target), visibility("default"), used))

extern __typeof__(malloc) __libc_malloc SAME_AS(malloc), __libc_malloc_impl SAME_AS(malloc);
extern __typeof__(calloc) __libc_calloc SAME_AS(calloc);
extern __typeof__(free) __libc_free SAME_AS(free);
extern __typeof__(realloc) __libc_realloc SAME_AS(realloc);
extern __typeof__(__brawn_atfork) __malloc_atfork SAME_AS(__brawn_atfork);

/* For a libc.a whose record of the process is another than the known one: an overlay leads `__libc` here
 * (crates/brawn-libc/src/overlay.rs), and every lock is taken. */
__attribute__((visibility("hidden"), used)) struct libc __brawn_always_threads = {.need_locks = 1};

#endif
