/* What the shims of mimalloc 2 and 3 have in common, after the sources: the way through the gate, thread
 * exit, and the heap itself. A shim defines before: heap_malloc, heap_calloc, heap_free, and kit_whose. */
#ifndef BRAWN_MIMALLOC_HEAP_H
#define BRAWN_MIMALLOC_HEAP_H

static __attribute__((noinline)) void kit_page_retire(mi_page_t *page) {
    gate_enter();
    _mi_page_retire(page);
    gate_leave();
}

static __attribute__((noinline)) void kit_page_unfull(mi_page_t *page) {
    gate_enter();
    _mi_page_unfull(page);
    gate_leave();
}

static void kit_thread_exit(void *heap) {
    gate_enter();
    _mi_thread_done(heap);
    gate_leave();
    gate_give_place_back();
}

static void kit_start(void) {
    if (!kit_started) {
        kit_started = true;
        os_preloading = false;
        if ((pthread_key_create)(&kit_key, kit_thread_exit) != 0) {
            kit_abort("no thread-specific key is left");
        }
        kit_keep_marker();
    }
}

static inline void *heap_realloc(void *block, size_t size) {
    if (block == NULL) {
        return heap_malloc(size);
    }
    switch (kit_whose(block)) {
    case KIT_OWN:
        return mi_realloc(block, size);
    case KIT_FOREIGN:
        break;
    case KIT_NOBODYS:
        kit_abort("realloc of something that is not a block");
    }
    gate_enter();
    void *const result = mi_realloc(block, size);
    gate_leave();
    return result;
}

static inline void *heap_aligned_alloc(size_t alignment, size_t size) {
    return mi_malloc_aligned(size, alignment);
}

static inline size_t heap_usable_size(void *block) {
    return mi_usable_size(block);
}

static inline void heap_atfork(int who) {
    gate_fork(who);
}

#ifdef BRAWN_PRELOAD
static void kit_trim(void) {
    gate_enter();
    mi_collect(true);
    gate_leave();
}
#define HEAP_TRIM kit_trim
#endif

#include "family.h"

#endif
