/* A gate that fork closes.
 *
 * A child of fork has one thread and a copy of everything else as it was at that moment: whatever another
 * thread was in the middle of stays half done for ever. So an allocator passes through this gate into all its
 * work that leaves the calling thread's own free lists: locks, lock-free hand-overs between threads, page
 * queues, system calls. Fork closes the gate, waits until no one is inside, and opens it again on both sides.
 *
 * What remains outside is the fast path: popping a block off a free list of one's own, and pushing one onto
 * it. Each of its stores leaves lists that can be walked (an allocator must see to that; see the shims), so
 * the worst that an interrupted one costs the child is a block that no one owns.
 *
 * Passing costs a few plain instructions and no fence: each thread says in a place of its own that it is
 * inside, and then looks whether the gate is open; the thread that forks closes the gate, makes every other
 * thread execute a memory barrier (membarrier, for which musl has a substitute where the kernel lacks it),
 * and then looks at all those places. Passes nest. */
#ifndef BRAWN_GATE_H
#define BRAWN_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/membarrier.h>
#include <time.h>

#include "kernel.h"

/* From linux/futex.h, which a musl toolchain need not have. */
#define GATE_FUTEX_WAIT 128 /* FUTEX_WAIT | FUTEX_PRIVATE_FLAG */
#define GATE_FUTEX_WAKE 129 /* FUTEX_WAKE | FUTEX_PRIVATE_FLAG */

/* This many threads have a place of their own; others count themselves in a shared one, which costs two
 * atomic additions. */
#define GATE_PLACES 128

enum gate_state {
    GATE_OPEN = 0,
    GATE_CLOSED = 1, /* one thread has it for itself: it forks, or does the child's share of the work */
    GATE_CHILD = 2,  /* the first to enter in a child of fork must run `gate_child_work` before */
};

struct gate_place {
    _Alignas(64) _Atomic(uint32_t) inside;
    _Atomic(uint32_t) taken;
};

static struct gate_place gate_places[GATE_PLACES];
static struct gate_place gate_crowd;
static _Alignas(64) _Atomic(uint32_t) gate_state;
static __thread struct gate_place *gate_own;
static __thread uint32_t gate_depth;

/* What the allocator has to do in a child of fork before it works on shared state again. */
static void gate_child_work(void);

#ifdef BRAWN_PRELOAD
/* Where the kernel has no barrier for the others, each makes its own. */
static bool gate_fences;

static __attribute__((constructor(101))) void gate_constructor(void) {
    gate_fences =
        KERNEL_CALL((syscall)(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0)) != 0;
}

static inline void gate_barrier_of_all(void) {
    KERNEL_SYSCALL(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static inline void gate_barrier(void) {
    if (__builtin_expect(gate_fences, 0)) {
        atomic_thread_fence(memory_order_seq_cst);
    } else {
        atomic_signal_fence(memory_order_seq_cst);
    }
}
#else
static inline void gate_barrier_of_all(void) {
    (void)KERNEL_CALL((membarrier)(MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0));
}

static inline void gate_barrier(void) {
    atomic_signal_fence(memory_order_seq_cst);
}
#endif

/* Waits until no one is inside, apart from the calling thread if it is: a signal handler may fork while the
 * thread that it interrupted is inside. Only the thread that closed the gate calls this. */
static void gate_wait_until_empty(bool self_inside) {
    atomic_thread_fence(memory_order_seq_cst);
    gate_barrier_of_all();
    for (int i = 0; i <= GATE_PLACES; i++) {
        struct gate_place *const place = i < GATE_PLACES ? &gate_places[i] : &gate_crowd;
        const uint32_t mine = (place == gate_own && self_inside) ? 1 : 0;
        for (int tries = 0; atomic_load_explicit(&place->inside, memory_order_acquire) != mine; tries++) {
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
            gate_wait_until_empty(false);
            gate_child_work();
            gate_set(GATE_OPEN);
        }
    } else if (state == GATE_CLOSED) {
        KERNEL_SYSCALL(SYS_futex, &gate_state, GATE_FUTEX_WAIT, GATE_CLOSED, NULL);
    }
}

/* Finds a place for this thread. */
static __attribute__((noinline, cold)) struct gate_place *gate_take_place(void) {
    for (int i = 0; i < GATE_PLACES; i++) {
        uint32_t taken = 0;
        if (atomic_compare_exchange_strong(&gate_places[i].taken, &taken, 1)) {
            return gate_own = &gate_places[i];
        }
    }
    return gate_own = &gate_crowd;
}

/* This thread is about to end. Should it come back after all, it finds another place. */
static void gate_give_place_back(void) {
    struct gate_place *const place = gate_own;
    gate_own = NULL;
    if (place != NULL && place != &gate_crowd) {
        atomic_store_explicit(&place->taken, 0, memory_order_release);
    }
}

static inline void gate_say(struct gate_place *place, bool inside) {
    if (__builtin_expect(place != &gate_crowd, 1)) {
        atomic_store_explicit(&place->inside, inside, memory_order_release);
    } else {
        atomic_fetch_add(&place->inside, inside ? 1 : UINT32_MAX);
    }
}

static inline void gate_enter(void) {
    if (gate_depth++ > 0) {
        return;
    }
    struct gate_place *place = gate_own;
    if (__builtin_expect(place == NULL, 0)) {
        place = gate_take_place();
    }
    for (;;) {
        gate_say(place, true);
        /* The barrier between these two is made by the one who closes the gate. */
        gate_barrier();
        if (__builtin_expect(atomic_load_explicit(&gate_state, memory_order_acquire) == GATE_OPEN, 1)) {
            return;
        }
        gate_say(place, false);
        gate_pause();
    }
}

static inline void gate_leave(void) {
    if (--gate_depth == 0) {
        gate_say(gate_own, false);
    }
}

/* What musl calls around fork in a process with threads: with -1 before, then with 0 in the parent and 1 in
 * the child. musl lets one thread fork at a time. */
static void gate_fork(int who) {
    if (who < 0) {
        uint32_t open = GATE_OPEN;
        while (!atomic_compare_exchange_strong(&gate_state, &open, GATE_CLOSED)) {
            gate_pause();
            open = GATE_OPEN;
        }
        gate_wait_until_empty(gate_depth > 0);
    } else if (who == 0) {
        gate_set(GATE_OPEN);
    } else {
        for (int i = 0; i < GATE_PLACES; i++) {
            if (&gate_places[i] != gate_own) {
                /* A thread that came to the closed gate at that very moment had said that it is inside, and
                 * has not yet taken it back: here it never will. */
                atomic_store(&gate_places[i].inside, 0);
                atomic_store(&gate_places[i].taken, 0);
            }
        }
        atomic_store(&gate_crowd.inside, gate_own == &gate_crowd && gate_depth > 0);
        gate_set(GATE_CHILD);
    }
}

#endif
