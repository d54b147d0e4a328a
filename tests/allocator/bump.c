/* A heap that never frees: the allocator by which crates/brawn-kit/tests/adding.rs shows what one takes. */

#include "kit.h"

#include <stdatomic.h>

static atomic_flag bump_busy = ATOMIC_FLAG_INIT;
static uintptr_t bump_at, bump_end;

static void bump_lock(void) {
    while (atomic_flag_test_and_set_explicit(&bump_busy, memory_order_acquire)) {
        KERNEL_SYSCALL(SYS_sched_yield);
    }
}

static void bump_unlock(void) {
    atomic_flag_clear_explicit(&bump_busy, memory_order_release);
}

/* The size of a block stands before it. */
static size_t *bump_size(void *block) {
    return (size_t *)block - 1;
}

static uintptr_t bump_place(size_t alignment) {
    return (bump_at + sizeof(size_t) + alignment - 1) & ~(alignment - 1);
}

/* Room for the block, in what is left of the last piece of memory or in a new one. */
static bool bump_has_room(size_t alignment, size_t size) {
    if (bump_place(alignment) <= bump_end && size <= bump_end - bump_place(alignment)) {
        return true;
    }
    size_t room = kit_knob_number("piece_kib", 64) << 10;
    if (room < size + alignment + sizeof(size_t)) {
        room = size + alignment + sizeof(size_t);
    }
    void *const piece =
        kernel_map(false, NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED) {
        return false;
    }
    bump_at = (uintptr_t)piece;
    bump_end = bump_at + room;
    return true;
}

static void *heap_aligned_alloc(size_t alignment, size_t size) {
    if (size > PTRDIFF_MAX - (size_t)4096) {
        return NULL;
    }
    kit_keep_marker();
    alignment = alignment < 16 ? 16 : alignment;
    size = size == 0 ? 1 : size;
    void *block = NULL;
    bump_lock();
    if (bump_has_room(alignment, size)) {
        block = (void *)bump_place(alignment);
        bump_at = (uintptr_t)block + size;
    }
    bump_unlock();
    if (block != NULL) {
        *bump_size(block) = size;
    }
    return block;
}

static void *heap_malloc(size_t size) {
    return heap_aligned_alloc(16, size);
}

/* Memory is handed out once, and comes from the system as zeros. */
static void *heap_calloc(size_t size) {
    return heap_malloc(size);
}

static void heap_free(void *block) {
    (void)block;
}

static size_t heap_usable_size(void *block) {
    return *bump_size(block);
}

static void *heap_realloc(void *block, size_t size) {
    if (block != NULL && size <= heap_usable_size(block)) {
        return block;
    }
    void *const larger = heap_malloc(size);
    if (larger != NULL && block != NULL) {
        memcpy(larger, block, heap_usable_size(block));
    }
    return larger;
}

/* Before a fork, and after it on both sides. */
static void heap_atfork(int who) {
    if (who < 0) {
        bump_lock();
    } else {
        bump_unlock();
    }
}

#include "family.h"
