/* The front's functions under names of their own, for programs that keep the host's malloc. */
#ifndef BRAWN_TEST_NAMES_H
#define BRAWN_TEST_NAMES_H

#define malloc front_malloc_
#define free front_free_
#define calloc front_calloc_
#define realloc front_realloc_
#define reallocarray front_reallocarray_
#define aligned_alloc front_aligned_alloc_
#define memalign front_memalign_
#define valloc front_valloc_
#define posix_memalign front_posix_memalign_
#define malloc_usable_size front_usable_size_
#define malloc_trim front_trim_
#define brawn_malloc_info front_info_
#define __ldso_atfork front_before_fork_
#define __brawn_atfork front_atfork_
#define __libc_malloc front_libc_malloc_

#endif
