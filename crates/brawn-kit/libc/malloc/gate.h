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

/* C++ reads this as well, so atomic is what the compiler's own functions do, not a type. */
struct gate_place {
    __attribute__((aligned(64))) uint32_t inside;
    uint32_t taken;
};

static struct gate_place gate_places[GATE_PLACES];
static struct gate_place gate_crowd;
static __attribute__((aligned(64))) uint32_t gate_state;
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
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    } else {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
}
#else
static inline void gate_barrier_of_all(void) {
    (void)KERNEL_CALL((membarrier)(MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0));
}

static inline void gate_barrier(void) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
#endif

/* Whether `word` was `from`; then it is `to`. */
static inline bool gate_exchange(uint32_t *word, uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Waits until no one is inside, apart from the calling thread if it is: a signal handler may fork while the
 * thread that it interrupted is inside. Only the thread that closed the gate calls this. */
static void gate_wait_until_empty(bool self_inside) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    gate_barrier_of_all();
    for (int i = 0; i <= GATE_PLACES; i++) {
        struct gate_place *const place = i < GATE_PLACES ? &gate_places[i] : &gate_crowd;
        const uint32_t mine = (place == gate_own && self_inside) ? 1 : 0;
        for (int tries = 0; __atomic_load_n(&place->inside, __ATOMIC_ACQUIRE) != mine; tries++) {
            /* Those inside may need this processor, or be in the kernel for long. */
            const struct timespec pause = {0, tries < 100 ? 0 : 50000};
            KERNEL_SYSCALL(SYS_nanosleep, &pause, NULL);
        }
    }
}

static void gate_set(enum gate_state state) {
    __atomic_store_n(&gate_state, state, __ATOMIC_SEQ_CST);
    KERNEL_SYSCALL(SYS_futex, &gate_state, GATE_FUTEX_WAKE, INT32_MAX);
}

/* The gate is not open: waits, or does a child's share of the work. */
static __attribute__((noinline, cold)) void gate_pause(void) {
    uint32_t state = __atomic_load_n(&gate_state, __ATOMIC_SEQ_CST);
    if (state == GATE_CHILD) {
        if (gate_exchange(&gate_state, GATE_CHILD, GATE_CLOSED)) {
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
        if (gate_exchange(&gate_places[i].taken, 0, 1)) {
            return gate_own = &gate_places[i];
        }
    }
    return gate_own = &gate_crowd;
}

/* This thread is about to end. Should it come back after all, it counts itself among those without a place:
 * no one would give a second one back. */
static void gate_give_place_back(void) {
    struct gate_place *const place = gate_own;
    gate_own = &gate_crowd;
    if (place != NULL && place != &gate_crowd) {
        __atomic_store_n(&place->taken, 0, __ATOMIC_RELEASE);
    }
}

static inline void gate_say(struct gate_place *place, bool inside) {
    if (__builtin_expect(place != &gate_crowd, 1)) {
        __atomic_store_n(&place->inside, inside, __ATOMIC_RELEASE);
    } else {
        __atomic_fetch_add(&place->inside, inside ? 1 : UINT32_MAX, __ATOMIC_SEQ_CST);
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
        if (__builtin_expect(__atomic_load_n(&gate_state, __ATOMIC_ACQUIRE) == GATE_OPEN, 1)) {
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
        while (!gate_exchange(&gate_state, GATE_OPEN, GATE_CLOSED)) {
            gate_pause();
        }
        gate_wait_until_empty(gate_depth > 0);
    } else if (who == 0) {
        gate_set(GATE_OPEN);
    } else {
        for (int i = 0; i < GATE_PLACES; i++) {
            if (&gate_places[i] != gate_own) {
                /* A thread that came to the closed gate at that very moment had said that it is inside, and
                 * has not yet taken it back: here it never will. */
                __atomic_store_n(&gate_places[i].inside, 0, __ATOMIC_SEQ_CST);
                __atomic_store_n(&gate_places[i].taken, 0, __ATOMIC_SEQ_CST);
            }
        }
        __atomic_store_n(&gate_crowd.inside, gate_own == &gate_crowd && gate_depth > 0, __ATOMIC_SEQ_CST);
        gate_set(GATE_CHILD);
    }
}

#endif
