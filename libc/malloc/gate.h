/* A gate that fork closes.
 *
 * A child of fork has one thread and a copy of everything else as it was at that moment: whatever another thread
 * was in the middle of stays half done for ever. So an allocator passes through this gate into all its work that
 * leaves the calling thread's own free lists: locks, lock-free hand-overs between threads, page queues, system
 * calls. Fork closes the gate, waits until nobody is inside, and opens it again on both sides.
 *
 * What remains outside is the fast path: popping a block off a free list of one's own, and pushing one onto it.
 * Each of its stores leaves lists that can be walked (an allocator must see to that; see the shims), so the worst
 * that an interrupted one costs the child is a block that nobody owns.
 *
 * Threads announce themselves in one of several counters, picked by address, so that those that work at the same
 * time seldom share a cache line. Passing costs two atomic additions. Passes nest. */
#ifndef BRAWN_GATE_H
#define BRAWN_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "kernel.h"

/* From linux/futex.h, which a musl toolchain need not have. */
#define GATE_FUTEX_WAIT 128 /* FUTEX_WAIT | FUTEX_PRIVATE_FLAG */
#define GATE_FUTEX_WAKE 129 /* FUTEX_WAKE | FUTEX_PRIVATE_FLAG */

#define GATE_SLOTS 32

enum gate_state {
    GATE_OPEN = 0,
    GATE_CLOSED = 1, /* one thread has it for itself: it forks, or does the child's share of the work */
    GATE_CHILD = 2,  /* the first to enter in a child of fork must run `gate_child_work` before */
};

static struct {
    _Alignas(128) _Atomic(uint32_t) inside;
} gate_slots[GATE_SLOTS];
static _Alignas(128) _Atomic(uint32_t) gate_state;
static __thread uint32_t gate_depth;

/* What the allocator has to do in a child of fork before it works on shared state again. */
static void gate_child_work(void);

static inline _Atomic(uint32_t) *gate_slot(void) {
    /* Thread-local variables of two threads are at least a stack apart: multiply, and take the top five bits. */
    const uint64_t hash = (uint64_t)(uintptr_t)&gate_depth * UINT64_C(0x9E3779B97F4A7C15);
    return &gate_slots[hash >> 59].inside;
}

/* Waits until nobody is inside, apart from the calling thread itself: a signal handler may fork while the thread
 * that it interrupted is inside. Only the thread that closed the gate calls this. */
static void gate_wait_until_empty(void) {
    _Atomic(uint32_t) *const own = gate_slot();
    for (int i = 0; i < GATE_SLOTS; i++) {
        _Atomic(uint32_t) *const slot = &gate_slots[i].inside;
        const uint32_t mine = (slot == own && gate_depth > 0) ? 1 : 0;
        for (int tries = 0; atomic_load(slot) != mine; tries++) {
            /* Those inside may need this processor, or be in the kernel for long. */
            const struct timespec pause = {0, tries < 100 ? 0 : 50000};
            KERNEL_SYSCALL(SYS_nanosleep, &pause, NULL);
        }
    }
}

static void gate_set(enum gate_state state) {
    atomic_store(&gate_state, state);
    KERNEL_SYSCALL(SYS_futex, &gate_state, GATE_FUTEX_WAKE, INT32_MAX);
}

/* The gate is not open: waits, or does a child's share of the work. */
static __attribute__((noinline, cold)) void gate_pause(void) {
    uint32_t state = atomic_load(&gate_state);
    if (state == GATE_CHILD) {
        if (atomic_compare_exchange_strong(&gate_state, &state, GATE_CLOSED)) {
            gate_wait_until_empty();
            gate_child_work();
            gate_set(GATE_OPEN);
        }
    } else if (state == GATE_CLOSED) {
        KERNEL_SYSCALL(SYS_futex, &gate_state, GATE_FUTEX_WAIT, GATE_CLOSED, NULL);
    }
}

static inline void gate_enter(void) {
    if (gate_depth > 0) {
        gate_depth++;
        return;
    }
    _Atomic(uint32_t) *const slot = gate_slot();
    for (;;) {
        /* Announce first, look second; the one who forks does the opposite. Sequential consistency makes at
         * least one of the two see the other. */
        atomic_fetch_add(slot, 1);
        if (__builtin_expect(atomic_load(&gate_state) == GATE_OPEN, 1)) {
            break;
        }
        atomic_fetch_sub(slot, 1);
        gate_pause();
    }
    gate_depth = 1;
}

static inline void gate_leave(void) {
    if (--gate_depth == 0) {
        atomic_fetch_sub_explicit(gate_slot(), 1, memory_order_release);
    }
}

/* What musl calls around fork in a process with threads: with -1 before, then with 0 in the parent and 1 in the
 * child. musl lets one thread fork at a time. */
static void gate_fork(int who) {
    if (who < 0) {
        uint32_t open = GATE_OPEN;
        while (!atomic_compare_exchange_strong(&gate_state, &open, GATE_CLOSED)) {
            gate_pause();
            open = GATE_OPEN;
        }
        gate_wait_until_empty();
    } else {
        gate_set(who == 0 ? GATE_OPEN : GATE_CHILD);
    }
}

#endif
