/* The front's functions under names of their own, for programs that keep the host's malloc, and what is checked
 * more than in a kit. */
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
#define __brawn_free front_libc_free_
#define __libc_malloc front_libc_malloc_

/* What the table of a chunk says of a block is what its header says. */
#define CLASS_IS_KNOWN(block, known, number)                                                                 \
    do {                                                                                                     \
        const struct slot its = slot_of(block);                                                              \
        if (its.start != (block) || its.index != (number) || meta_class(its.meta) != (known)) {              \
            die("the table of a chunk is wrong");                                                            \
        }                                                                                                    \
    } while (0)

#endif
