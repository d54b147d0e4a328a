/* rpmalloc as the heap of a libc.a: all of its sources in this one translation unit. See kit.h, gate.h and
 * family.h. */

#include "kit.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define KERNEL_HUGE_PAGES kit_knob_is_on("allow_thp", true)

#include "gate.h"
#include "kernel_redirect.h"

#define ENABLE_STATISTICS 0
#define ENABLE_ASSERTS 0
#define ENABLE_VALIDATE_ARGS 0
#define ENABLE_OVERRIDE 0
#define ENABLE_PRELOAD 0
#define ENABLE_ADAPTIVE_THREAD_CACHE 0
#define RPMALLOC_FIRST_CLASS_HEAPS 0
#define RPMALLOC_CONFIGURABLE 0

/* Huge pages of the kind that must be set aside are never asked for; without this, stdio would be linked in.
 */
#define fopen(path, mode) NULL
#define fgets(text, size, file) NULL
#define fclose(file) ((void)(file))

/* Heaps are made sixteen at a time, in memory that is fresh from the system: to clear it would only be to
 * touch 900 KiB of it. */
#define memset(memory, byte, size) ((size) == sizeof(heap_t) ? (void)0 : (void)(memset)(memory, byte, size))

/* In an executable it is local-exec whatever is asked for. */
#define tls_model(model) unused
#include "rpmalloc/rpmalloc.c"
#undef tls_model
#undef memset

static pthread_key_t kit_key;
static _Atomic(bool) kit_started;

static void kit_thread_exit(void *heap) {
    (void)heap;
    gate_enter();
    rpmalloc_thread_finalize(1);
    gate_leave();
    gate_give_place_back();
}

/* Before there are other threads, where that can be had: two that race to be the first wait for each other.
 */
static __attribute__((noinline, cold)) void kit_start(void) {
    static atomic_flag starting = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&starting)) {
        KERNEL_SYSCALL(SYS_sched_yield);
    }
    if (!atomic_load(&kit_started)) {
        kit_keep_marker();
        rpmalloc_config_t config = {.span_map_count = kit_knob_number("span_map_count", 0)};
        if ((pthread_key_create)(&kit_key, kit_thread_exit) != 0) {
            kit_abort("no thread-specific key is left");
        }
        rpmalloc_initialize_config(&config);
        (void)pthread_setspecific(kit_key, get_thread_heap_raw());
        atomic_store(&kit_started, true);
    }
    atomic_flag_clear(&starting);
}

static __attribute__((constructor(101))) void kit_constructor(void) {
    if (!atomic_load(&kit_started)) {
        kit_start();
    }
}

/* Gives the calling thread a heap. rpmalloc's own function goes on where there is no memory for one. */
static __attribute__((noinline, cold)) heap_t *kit_take_heap(void) {
    while (!atomic_cas32_acquire(&_memory_global_lock, 1, 0)) {
        _rpmalloc_spin();
    }
    heap_t *heap = _rpmalloc_heap_extract_orphan(&_memory_orphan_heaps);
    if (heap == NULL) {
        heap = _rpmalloc_heap_allocate_new();
    }
    atomic_store32_release(&_memory_global_lock, 0);
    if (heap != NULL) {
        _rpmalloc_heap_cache_adopt_deferred(heap, NULL);
        set_thread_heap(heap);
        (void)pthread_setspecific(kit_key, heap);
    }
    return heap;
}

/* The calling thread's heap, made now if it has none; NULL if there is no memory for one. The gate is passed.
 */
static heap_t *kit_heap(void) {
    if (__builtin_expect(!atomic_load_explicit(&kit_started, memory_order_acquire), 0)) {
        kit_start();
    }
    heap_t *const heap = get_thread_heap_raw();
    if (__builtin_expect(heap != NULL, 1)) {
        return heap;
    }
    return kit_take_heap();
}

/* rpmalloc counts the pages of a block in 32 bits. */
#define KIT_LARGEST ((size_t)1 << 43)

static __attribute__((noinline)) void *kit_malloc_slow(size_t size) {
    gate_enter();
    heap_t *const heap = size <= KIT_LARGEST ? kit_heap() : NULL;
    void *const block = heap != NULL ? _rpmalloc_allocate(heap, size) : NULL;
    gate_leave();
    return block;
}

static inline void *heap_malloc(size_t size) {
    heap_t *const heap = get_thread_heap_raw();
    if (__builtin_expect(heap != NULL && size <= SMALL_SIZE_LIMIT, 1)) {
        const size_t index = (size + (SMALL_GRANULARITY - 1)) >> SMALL_GRANULARITY_SHIFT;
        heap_size_class_t *const list = heap->size_class + index;
        if (__builtin_expect(list->free_list != NULL, 1)) {
            return free_list_pop(&list->free_list);
        }
    }
    return kit_malloc_slow(size);
}

static inline void *heap_calloc(size_t size) {
    void *const block = heap_malloc(size);
    /* Larger ones come fresh from the system. */
    if (__builtin_expect(block != NULL && size <= LARGE_SIZE_LIMIT, 1)) {
        memset(block, 0, size);
    }
    return block;
}

static __attribute__((noinline)) void kit_free_slow(void *block) {
    gate_enter();
    _rpmalloc_deallocate(block);
    gate_leave();
}

static inline void heap_free(void *block) {
    span_t *const span = (span_t *)((uintptr_t)block & _memory_span_mask);
    if (__builtin_expect(span == NULL, 0)) {
        return;
    }
    /* A block of the calling thread's own whose span is neither full before nor empty after: only a list of
     * its own changes. */
    if (__builtin_expect(span->size_class < SIZE_CLASS_COUNT && (span->flags & SPAN_FLAG_ALIGNED_BLOCKS) == 0,
                         1) &&
        __builtin_expect(span->heap->owner_thread == get_thread_id(), 1) &&
        __builtin_expect(!_rpmalloc_span_is_fully_utilized(span) && span->used_count - 1 != span->list_size,
                         1)) {
        *(void **)block = span->free_list;
        span->used_count--;
        /* The list must be one between any two stores, for the child of a fork. */
        atomic_signal_fence(memory_order_release);
        span->free_list = block;
        return;
    }
    kit_free_slow(block);
}

static inline void *heap_realloc(void *block, size_t size) {
    if (block == NULL) {
        return heap_malloc(size);
    }
    if (size > KIT_LARGEST) {
        return NULL;
    }
    gate_enter();
    heap_t *const heap = kit_heap();
    void *const result = heap != NULL ? _rpmalloc_reallocate(heap, block, size, 0, 0) : NULL;
    gate_leave();
    return result;
}

static inline void *heap_aligned_alloc(size_t alignment, size_t size) {
    if (size > KIT_LARGEST) {
        return NULL;
    }
    gate_enter();
    heap_t *const heap = kit_heap();
    void *const block = heap != NULL ? _rpmalloc_aligned_allocate(heap, alignment, size) : NULL;
    gate_leave();
    return block;
}

static inline size_t heap_usable_size(void *block) {
    return _rpmalloc_usable_size(block);
}

/* What vanished threads had stays allocated: their heaps are on no list from which another could take them.
 */
static void gate_child_work(void) {
}

static inline void heap_atfork(int who) {
    gate_fork(who);
}

#ifdef BRAWN_PRELOAD
static void kit_trim(void) {
    gate_enter();
    rpmalloc_thread_collect();
    gate_leave();
}
#define HEAP_TRIM kit_trim
#endif

#include "family.h"
