/* The names under which a crate calls the allocator that it brings, on top of the program's one heap: anyone who
 * answers to malloc. Only public names are called here, so that any heap may stand behind them. */
#ifndef BRAWN_NAMES_H
#define BRAWN_NAMES_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_JOIN(prefix, name) prefix##name
#define NAMES_PREFIXED(prefix, name) NAMES_JOIN(prefix, name)
/* The crate's name for a function. */
#define NAME(name) NAMES_PREFIXED(BRAWN_NAMES_PREFIX, name)
#define PUBLIC __attribute__((visibility("default"), used))

/* What malloc gives without being asked, to blocks that are at least as large: the same rule as in Rust's own
 * System allocator. */
#define NATURAL_ALIGNMENT ((size_t)16)

static inline bool is_natural(size_t alignment, size_t size) {
    return alignment <= NATURAL_ALIGNMENT && alignment <= size;
}

static inline void *names_aligned(size_t alignment, size_t size) {
    return __builtin_expect(is_natural(alignment, size), 1) ? malloc(size) : aligned_alloc(alignment, size);
}

/* Zeros from `start` to the end of what may be used of a block, and not only of what was asked for: who lets
 * the block grow later, with zeros, is promised them from there on. */
static inline void *names_zero_from(void *block, size_t start) {
    if (__builtin_expect(block != NULL, 1)) {
        const size_t usable = malloc_usable_size(block);
        if (usable > start) {
            memset((char *)block + start, 0, usable - start);
        }
    }
    return block;
}

static inline void *names_zeroed(size_t alignment, size_t size) {
    if (__builtin_expect(is_natural(alignment, size), 1)) {
        return names_zero_from(calloc(1, size), size);
    }
    return names_zero_from(aligned_alloc(alignment, size), 0);
}

static inline void *names_calloc(size_t alignment, size_t count, size_t size) {
    size_t total;
    if (__builtin_expect(__builtin_mul_overflow(count, size, &total), 0)) {
        errno = ENOMEM;
        return NULL;
    }
    return names_zeroed(alignment, total);
}

static __attribute__((noinline)) void *names_moved(void *old, size_t alignment, size_t size) {
    const size_t before = old == NULL ? 0 : malloc_usable_size(old);
    const bool fits = ((uintptr_t)old & (alignment - 1)) == 0 && size <= before && size >= before / 2;
    if (old != NULL && alignment != 0 && fits) {
        return old;
    }
    void *const block = aligned_alloc(alignment, size);
    if (block != NULL && old != NULL) {
        memcpy(block, old, before < size ? before : size);
        free(old);
    }
    return block;
}

/* As realloc, to an alignment. Without memory the old block stays as it was. */
static inline void *names_resized(void *old, size_t alignment, size_t size) {
    return __builtin_expect(is_natural(alignment, size), 1) ? realloc(old, size)
                                                            : names_moved(old, alignment, size);
}

/* The same, with zeros in what the block could not hold before. */
static inline void *names_resized_zeroed(void *old, size_t alignment, size_t size) {
    const size_t before = old == NULL ? 0 : malloc_usable_size(old);
    return names_zero_from(names_resized(old, alignment, size), before);
}

#endif
