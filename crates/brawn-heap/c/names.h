/* The front end's functions, and what it asks of mallocng and of musl, under names of this crate: a host has
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
#define __brawn_atfork brawn_heap_atfork
#define __brawn_free brawn_heap_foreign_free
#define __brawn_lock brawn_heap_lock
#define __brawn_unlock brawn_heap_unlock
#define __brawn_map_pages brawn_heap_map_pages
#define __brawn_unmap_pages brawn_heap_unmap_pages
#define __brawn_remap_pages brawn_heap_remap_pages
#define __libc_malloc brawn_heap_foreign_malloc

#define __libc brawn_heap_process
#define __libc_malloc_impl brawn_heap_slot_malloc
#define __libc_realloc brawn_heap_slot_realloc
#define __libc_free brawn_heap_slot_free
#define __malloc_atfork brawn_heap_slots_atfork
#define __malloc_lock brawn_heap_slots_lock
#define __malloc_context brawn_heap_context
#define __malloc_size_classes brawn_heap_size_classes

#endif
