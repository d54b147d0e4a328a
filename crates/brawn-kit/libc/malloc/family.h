/* The malloc family of musl on top of an allocator, with musl's manners: errno is ENOMEM when there is no
 * memory and EINVAL for an alignment that is none, which posix_memalign returns as well, malloc(0) returns a
 * block of its own, and nothing larger than PTRDIFF_MAX is ever given out.
 *
 * An allocator defines these before it includes this file, each returning NULL on failure:
 *   heap_malloc(size), heap_calloc(size) (of the whole size, which is checked), heap_free(block),
 *   heap_realloc(block, size), heap_aligned_alloc(alignment, size) (alignment is a power of two),
 *   heap_usable_size(block) (block is not NULL), heap_atfork(who). */
#ifndef BRAWN_FAMILY_H
#define BRAWN_FAMILY_H

#include <stddef.h>
#include <stdint.h>

#define FAMILY __attribute__((visibility("default"), used))

static __attribute__((noinline, cold)) void *family_fail(int error) {
    *kernel_libc_errno() = error;
    return NULL;
}

static inline void *family_check(void *block) {
    return __builtin_expect(block != NULL, 1) ? block : family_fail(ENOMEM);
}

FAMILY void *malloc(size_t size) {
    return family_check(heap_malloc(size));
}

FAMILY void *calloc(size_t count, size_t size) {
    size_t total;
    if (__builtin_expect(__builtin_mul_overflow(count, size, &total), 0)) {
        return family_fail(ENOMEM);
    }
    return family_check(heap_calloc(total));
}

FAMILY void free(void *block) {
    heap_free(block);
}

FAMILY void *realloc(void *block, size_t size) {
    return family_check(heap_realloc(block, size));
}

FAMILY void *reallocarray(void *block, size_t count, size_t size) {
    size_t total;
    if (__builtin_expect(__builtin_mul_overflow(count, size, &total), 0)) {
        return family_fail(ENOMEM);
    }
    return family_check(heap_realloc(block, total));
}

/* As in musl, an alignment of 0 is any alignment. */
static inline void *family_aligned(size_t alignment, size_t size, int *error) {
    if (__builtin_expect((alignment & (alignment - 1)) != 0, 0)) {
        *error = EINVAL;
        return NULL;
    }
    if (alignment < sizeof(void *)) {
        alignment = sizeof(void *);
    }
    *error = ENOMEM;
    if (__builtin_expect(alignment > PTRDIFF_MAX / 2 || size > PTRDIFF_MAX - alignment, 0)) {
        return NULL;
    }
    return heap_aligned_alloc(alignment, size);
}

FAMILY void *aligned_alloc(size_t alignment, size_t size) {
    int error;
    void *const block = family_aligned(alignment, size, &error);
    return __builtin_expect(block != NULL, 1) ? block : family_fail(error);
}

FAMILY void *memalign(size_t alignment, size_t size) {
    int error;
    void *const block = family_aligned(alignment, size, &error);
    return __builtin_expect(block != NULL, 1) ? block : family_fail(error);
}

FAMILY void *valloc(size_t size) {
    int error;
    void *const block = family_aligned((size_t)sysconf(_SC_PAGESIZE), size, &error);
    return __builtin_expect(block != NULL, 1) ? block : family_fail(error);
}

FAMILY int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *)) {
        return EINVAL;
    }
    int error;
    void *const block = family_aligned(alignment, size, &error);
    if (block == NULL) {
        (void)family_fail(error);
        return error;
    }
    *result = block;
    return 0;
}

FAMILY size_t malloc_usable_size(void *block) {
    return block == NULL ? 0 : heap_usable_size(block);
}

#ifdef BRAWN_PRELOAD
/* The names that glibc has besides. `__libc_malloc` and its like are for those who wrap malloc: what they
 * hand out comes back to free. mallopt, mallinfo and their like stay with libc and speak of its own heap,
 * which is empty; they are about arenas of a kind that no one else has. */
FAMILY void *pvalloc(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole;
    if (__builtin_add_overflow(size, page - 1, &whole)) {
        return family_fail(ENOMEM);
    }
    return memalign(page, whole & ~(page - 1));
}

FAMILY void cfree(void *block) {
    heap_free(block);
}

/* Gives back to the system what the heap holds and no block needs, as far as the allocator can. 1 if it may
 * have. */
FAMILY int malloc_trim(size_t pad) {
    (void)pad;
#ifdef HEAP_TRIM
    HEAP_TRIM();
    return 1;
#else
    return 0;
#endif
}

#define FAMILY_ALIAS(name, target)                                                                           \
    extern __typeof__(target) name __attribute__((alias(#target), visibility("default"), used))

FAMILY_ALIAS(__libc_malloc, malloc);
FAMILY_ALIAS(__libc_calloc, calloc);
FAMILY_ALIAS(__libc_free, free);
FAMILY_ALIAS(__libc_realloc, realloc);
FAMILY_ALIAS(__libc_memalign, memalign);
FAMILY_ALIAS(__libc_valloc, valloc);
FAMILY_ALIAS(__libc_pvalloc, pvalloc);

#else
/* The names that musl uses inside: the same code, under symbols of their own, because a program may define
 * malloc and free itself and musl then goes on with these. */
#define FAMILY_ALIAS(name, target)                                                                           \
    extern __typeof__(target) name __attribute__((alias(#target), visibility("default"), used))

FAMILY_ALIAS(__libc_malloc, malloc);
FAMILY_ALIAS(__libc_malloc_impl, malloc);
FAMILY_ALIAS(__libc_calloc, calloc);
FAMILY_ALIAS(__libc_free, free);
FAMILY_ALIAS(__libc_realloc, realloc);

FAMILY void __malloc_atfork(int who) {
    heap_atfork(who);
}
#endif

#endif
