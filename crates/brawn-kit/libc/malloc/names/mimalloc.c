/* mimalloc's names for what every heap can do. Not here, because nothing stands behind them in another heap: its
 * heaps of their own (`mi_heap_…`, `mi_theap_…`, `mi_arena_…`), statistics, options, callbacks, alignment at an
 * offset, and its version. */
#define BRAWN_NAMES_PREFIX mi_
#include "names.h"

PUBLIC void *NAME(malloc)(size_t size) {
    return malloc(size);
}

PUBLIC void *NAME(malloc_small)(size_t size) {
    return malloc(size);
}

PUBLIC void *NAME(mallocn)(size_t count, size_t size) {
    return reallocarray(NULL, count, size);
}

PUBLIC void *NAME(zalloc)(size_t size) {
    return names_zeroed(1, size);
}

PUBLIC void *NAME(zalloc_small)(size_t size) {
    return names_zeroed(1, size);
}

PUBLIC void *NAME(calloc)(size_t count, size_t size) {
    return names_calloc(1, count, size);
}

PUBLIC void *NAME(realloc)(void *block, size_t size) {
    return realloc(block, size);
}

PUBLIC void *NAME(reallocn)(void *block, size_t count, size_t size) {
    return reallocarray(block, count, size);
}

PUBLIC void *NAME(reallocarray)(void *block, size_t count, size_t size) {
    return reallocarray(block, count, size);
}

PUBLIC void *NAME(reallocf)(void *block, size_t size) {
    void *const larger = realloc(block, size);
    if (larger == NULL) {
        free(block);
    }
    return larger;
}

PUBLIC void *NAME(rezalloc)(void *block, size_t size) {
    return names_resized_zeroed(block, 1, size);
}

PUBLIC void *NAME(recalloc)(void *block, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return names_resized_zeroed(block, 1, total);
}

/* Where it is, or not at all. */
PUBLIC void *NAME(expand)(void *block, size_t size) {
    return block != NULL && size <= malloc_usable_size(block) ? block : NULL;
}

PUBLIC void *NAME(malloc_aligned)(size_t size, size_t alignment) {
    return names_aligned(alignment, size);
}

PUBLIC void *NAME(zalloc_aligned)(size_t size, size_t alignment) {
    return names_zeroed(alignment, size);
}

PUBLIC void *NAME(calloc_aligned)(size_t count, size_t size, size_t alignment) {
    return names_calloc(alignment, count, size);
}

PUBLIC void *NAME(realloc_aligned)(void *block, size_t size, size_t alignment) {
    return names_resized(block, alignment, size);
}

PUBLIC void *NAME(rezalloc_aligned)(void *block, size_t size, size_t alignment) {
    return names_resized_zeroed(block, alignment, size);
}

PUBLIC void *NAME(recalloc_aligned)(void *block, size_t count, size_t size, size_t alignment) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return names_resized_zeroed(block, alignment, total);
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

PUBLIC char *NAME(strdup)(const char *text) {
    return text == NULL ? NULL : strdup(text);
}

PUBLIC char *NAME(strndup)(const char *text, size_t length) {
    return text == NULL ? NULL : strndup(text, length);
}

PUBLIC void NAME(free)(void *block) {
    free(block);
}

PUBLIC void NAME(free_small)(void *block) {
    free(block);
}

PUBLIC void NAME(cfree)(void *block) {
    free(block);
}

PUBLIC void NAME(free_size)(void *block, size_t size) {
    (void)size;
    free(block);
}

PUBLIC void NAME(free_aligned)(void *block, size_t alignment) {
    (void)alignment;
    free(block);
}

PUBLIC void NAME(free_size_aligned)(void *block, size_t size, size_t alignment) {
    (void)size;
    (void)alignment;
    free(block);
}

PUBLIC size_t NAME(usable_size)(const void *block) {
    return block == NULL ? 0 : malloc_usable_size((void *)(uintptr_t)block);
}

PUBLIC size_t NAME(malloc_usable_size)(const void *block) {
    return block == NULL ? 0 : malloc_usable_size((void *)(uintptr_t)block);
}

PUBLIC size_t NAME(malloc_size)(const void *block) {
    return block == NULL ? 0 : malloc_usable_size((void *)(uintptr_t)block);
}

/* A block of this size holds at least as much, and no more is promised: another heap has other sizes. */
PUBLIC size_t NAME(good_size)(size_t size) {
    return size;
}

PUBLIC size_t NAME(malloc_good_size)(size_t size) {
    return size;
}

/* The one heap looks after itself. */
PUBLIC void NAME(collect)(bool force) {
    (void)force;
}

PUBLIC void NAME(process_init)(void) {
}

PUBLIC void NAME(thread_init)(void) {
}

PUBLIC void NAME(thread_done)(void) {
}
