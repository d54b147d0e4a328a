/* The front end's functions, and what it asks of musl, under names of this crate: a host has
 * its own malloc, and a static executable may have all of musl. */
#ifndef BRAWN_HEAP_NAMES_H
#define BRAWN_HEAP_NAMES_H

#define malloc brawn_heap_malloc
#define free brawn_heap_free
#define calloc brawn_heap_calloc
#define realloc brawn_heap_realloc
#define reallocarray brawn_heap_reallocarray
#define aligned_alloc brawn_heap_aligned
#define memalign brawn_heap_memalign
#define valloc brawn_heap_valloc
#define posix_memalign brawn_heap_posix_memalign
#define malloc_usable_size brawn_heap_usable_size
#define malloc_trim brawn_heap_trim
#define brawn_malloc_info brawn_heap_info
#define __ldso_atfork brawn_heap_before_fork
#define __libc brawn_heap_process

#endif
