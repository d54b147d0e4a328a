/* jemalloc's names for what every heap can do, with the prefix of the build or without one. Not here, because nothing stands
 * behind them in another heap: `mallctl` and its like, statistics, and the variables by which a program configures it. */
#include "names.h"

/* The lowest bits of `flags` are the logarithm of the alignment; the highest ones name an arena and a cache, of which there is
 * one here. */
#define LOGARITHM_OF_ALIGNMENT 63
#define ZERO 64

static inline size_t alignment_of(int flags) {
    return (size_t)1 << (flags & LOGARITHM_OF_ALIGNMENT);
}

#ifndef BRAWN_NAMES_PLAIN
PUBLIC void *NAME(malloc)(size_t size) {
    return malloc(size);
}

PUBLIC void *NAME(calloc)(size_t count, size_t size) {
    return names_calloc(1, count, size);
}

PUBLIC void *NAME(realloc)(void *block, size_t size) {
    return realloc(block, size);
}

PUBLIC void NAME(free)(void *block) {
    free(block);
}

PUBLIC int NAME(posix_memalign)(void **result, size_t alignment, size_t size) {
    return posix_memalign(result, alignment, size);
}

PUBLIC void *NAME(aligned_alloc)(size_t alignment, size_t size) {
    return aligned_alloc(alignment, size);
}

PUBLIC void *NAME(memalign)(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

PUBLIC void *NAME(valloc)(size_t size) {
    return valloc(size);
}

PUBLIC size_t NAME(malloc_usable_size)(void *block) {
    return block == NULL ? 0 : malloc_usable_size(block);
}

PUBLIC void NAME(free_sized)(void *block, size_t size) {
    (void)size;
    free(block);
}

PUBLIC void NAME(free_aligned_sized)(void *block, size_t alignment, size_t size) {
    (void)alignment;
    (void)size;
    free(block);
}
#endif

PUBLIC void *NAME(mallocx)(size_t size, int flags) {
    const size_t alignment = alignment_of(flags);
    return (flags & ZERO) != 0 ? names_zeroed(alignment, size) : names_aligned(alignment, size);
}

PUBLIC void *NAME(rallocx)(void *block, size_t size, int flags) {
    const size_t alignment = alignment_of(flags);
    return (flags & ZERO) != 0 ? names_resized_zeroed(block, alignment, size)
                               : names_resized(block, alignment, size);
}

/* The block stays where it is, and as large as it is: who asked for more sees that from the answer. */
PUBLIC size_t NAME(xallocx)(void *block, size_t size, size_t extra, int flags) {
    (void)size;
    (void)extra;
    (void)flags;
    return malloc_usable_size(block);
}

PUBLIC size_t NAME(sallocx)(const void *block, int flags) {
    (void)flags;
    return malloc_usable_size((void *)(uintptr_t)block);
}

PUBLIC void NAME(dallocx)(void *block, int flags) {
    (void)flags;
    free(block);
}

PUBLIC void NAME(sdallocx)(void *block, size_t size, int flags) {
    (void)size;
    (void)flags;
    free(block);
}

/* A block holds at least what was asked for, and no more is promised: another heap has other sizes. */
PUBLIC size_t NAME(nallocx)(size_t size, int flags) {
    return size > PTRDIFF_MAX || alignment_of(flags) > PTRDIFF_MAX - size ? 0 : size;
}
