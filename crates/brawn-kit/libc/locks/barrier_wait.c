/*
 * pthread_barrier_wait of one process. In musl's, those who leave do so one by one, and who came first waits for all others;
 * here a thread comes by one atomic exchange, and the last one wakes all others at once.
 *
 * Who has been let go may free the barrier while others still wake up, so these must not look at it again. They wait at a
 * word elsewhere: a place of a table, which the first to come takes and the last gives back. It counts the meetings that it
 * has served, and the barrier names the place and its count, so that a thread which was late is not taken for one of a later
 * meeting. When all places are taken, that meeting is musl's.
 *
 * Threads that run at the same time meet sooner than they fall asleep, and threads that share a processor do not. Which of
 * them meet at a place is learned there; the first place is that of a program with one barrier.
 */

#include "locks.h"
#include <stddef.h>

struct barrier {
    int lock, sleepers;
    int others; /* how many come before the last; negative if processes share it */
    int unused;
    uint64_t meeting; /* 0 while no one has come; else how many have, the place, and its count */
    const void *instance;
};
_Static_assert(offsetof(struct barrier, instance) == 24 && sizeof(struct barrier) == 32, "as musl has it");

PUBLIC int pthread_barrier_wait(struct barrier *barrier);
PUBLIC int __brawn_musl_pthread_barrier_wait(struct barrier *barrier);

/* To wake takes longer than LOOKS: threads that sleep would go on to. So now and then one looks for as long as that takes. */
enum { PLACES = 32, SERIAL = -1, LOOKS = 100, LONG_LOOKS = 1500, FORGETS = 256 };

struct place {
    int count;    /* of meetings */
    int sleepers; /* or about to be */
    int wasted;   /* how often looks before sleeping were of no use of late */
};

#define CAME ((uint64_t)1)
#define PLACE_BITS 24 /* there are not so many threads */
#define COUNT_BITS 32
#define MUSLS ((uint64_t)255 << PLACE_BITS)

static struct place places[PLACES];
static uint32_t taken;

/* The first word of a meeting: no one has come yet. */
static uint64_t begin(void) {
    for (uint32_t seen = __atomic_load_n(&taken, __ATOMIC_RELAXED); ~seen;) {
        const unsigned place = (unsigned)__builtin_ctz(~seen);
        if (__atomic_compare_exchange_n(&taken, &seen, seen | (uint32_t)1 << place, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            return (uint64_t)(uint32_t)load(&places[place].count) << COUNT_BITS | (uint64_t)(place + 1)
                                                                                      << PLACE_BITS;
        }
    }
    return MUSLS;
}

static unsigned place_of(uint64_t meeting) {
    return (unsigned)(meeting >> PLACE_BITS & 255) - 1;
}

static void give_back(uint64_t meeting) {
    __atomic_fetch_and(&taken, ~((uint32_t)1 << place_of(meeting)), __ATOMIC_RELEASE);
}

static int looks_first(int wasted) {
    return !looks_pay(wasted) ? 0 : wasted == PATIENCE - 1 ? LONG_LOOKS : LOOKS;
}

/* Waits for the end of the meeting that has this number, with so many others. */
static void wait_for_end(struct place *place, int count, int others) {
    const int wasted = load(&place->wasted);
    for (int looks = looks_first(wasted); looks > 0; looks--) {
        if (__atomic_load_n(&place->count, __ATOMIC_ACQUIRE) != count) {
            if (wasted) {
                store(&place->wasted, wasted / 2);
            }
            return;
        }
        relax();
    }
    const int many = others < PATIENCE ? others : PATIENCE; /* as many sleep at a time */
    store(&place->wasted, looks_wasted(wasted, FORGETS * many));
    __atomic_fetch_add(&place->sleepers, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&place->count, __ATOMIC_ACQUIRE) == count) {
        __timedwait(&place->count, count, CLOCK_REALTIME, NULL, FUTEX_PRIVATE);
    }
    __atomic_fetch_sub(&place->sleepers, 1, __ATOMIC_RELAXED);
}

/* Who is about to sleep has said so before the kernel looks at the count, or sees the new one. */
static void end_meeting(struct place *place, uint64_t meeting) {
    __atomic_store_n(&place->count, (int)((unsigned)(meeting >> COUNT_BITS) + 1), __ATOMIC_SEQ_CST);
    const int sleepers = __atomic_load_n(&place->sleepers, __ATOMIC_SEQ_CST);
    give_back(meeting);
    if (sleepers) {
        wake(&place->count, INT32_MAX, FUTEX_PRIVATE);
    }
}

int pthread_barrier_wait(struct barrier *barrier) {
    const int others = barrier->others;
    if (unlikely(others <= 0)) {
        return others ? __brawn_musl_pthread_barrier_wait(barrier) : SERIAL;
    }
    uint64_t seen = __atomic_load_n(&barrier->meeting, __ATOMIC_RELAXED);
    for (;;) {
        const uint64_t fresh = seen ? 0 : begin();
        const uint64_t before = seen | fresh;
        const int last = (int)(before & ((1 << PLACE_BITS) - 1)) == others;
        /* Once it has come, a thread looks at the barrier no more. */
        if (!__atomic_compare_exchange_n(&barrier->meeting, &seen, last ? 0 : before + CAME, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            if (fresh && fresh != MUSLS) {
                give_back(fresh);
            }
            continue;
        }
        if (unlikely((before & MUSLS) == MUSLS)) {
            return __brawn_musl_pthread_barrier_wait(barrier);
        }
        struct place *const place = &places[place_of(before)];
        if (last) {
            end_meeting(place, before);
            return SERIAL;
        }
        wait_for_end(place, (int)(before >> COUNT_BITS), others);
        return 0;
    }
}
