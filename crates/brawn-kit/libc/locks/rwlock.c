/*
 * Read-write locks. A reader comes and goes by one addition each, so that readers on many processors never have to try again;
 * one that came beside a writer takes itself out again, or has the lock if the writer has gone meanwhile. As with musl, who
 * reads may read again, and readers do not wait for a waiting writer.
 */

#include "locks.h"

struct rwlock {
    int word;
    int unused;
    int shared; /* 128 if other processes may use it, else 0 */
};

/*
 * `word`: the number of readers, with those who are about to take themselves out; WRITER while it is held for writing; ASLEEP
 * if someone may sleep on it. ASLEEP is set before sleeping. It goes when all are woken: by a writer's unlock, or by a reader
 * who finds it without a holder. The last reader leaves it and wakes one, as only writers wait for readers.
 */
#define WRITER 0x40000000
#define READERS 0x3fffffff
/* Far below the next bit: so many threads can be in `read_try` at once. */
#define MOST_READERS 0x3fff0000

PUBLIC int __pthread_rwlock_rdlock(struct rwlock *lock);
PUBLIC int __pthread_rwlock_tryrdlock(struct rwlock *lock);
PUBLIC int __pthread_rwlock_timedrdlock(struct rwlock *restrict lock, const struct timespec *restrict until);
PUBLIC int __pthread_rwlock_wrlock(struct rwlock *lock);
PUBLIC int __pthread_rwlock_trywrlock(struct rwlock *lock);
PUBLIC int __pthread_rwlock_timedwrlock(struct rwlock *restrict lock, const struct timespec *restrict until);
PUBLIC int __pthread_rwlock_unlock(struct rwlock *lock);

static inline int alone(const struct rwlock *lock) {
    return one_thread() && lock->shared == 0;
}

static inline int private(const struct rwlock *lock) {
    return lock->shared ^ FUTEX_PRIVATE;
}

static __attribute__((noinline)) int read_unusual(struct rwlock *lock, int seen) {
    if (seen & WRITER) {
        seen = load(&lock->word);
        while (seen & WRITER) {
            const int now = compare_exchange(&lock->word, seen, seen - 1);
            if (now == seen) {
                return BRAWN_EBUSY;
            }
            seen = now;
        }
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        return 0;
    }
    if ((seen & READERS) >= MOST_READERS) {
        __atomic_fetch_sub(&lock->word, 1, __ATOMIC_RELAXED);
        return BRAWN_EAGAIN;
    }
    __atomic_fetch_and(&lock->word, ~ASLEEP, __ATOMIC_RELAXED);
    wake(&lock->word, INT32_MAX, private(lock));
    return 0;
}

/* 0, EBUSY, EAGAIN. */
static inline int read_try(struct rwlock *lock) {
    const int seen = __atomic_fetch_add(&lock->word, 1, __ATOMIC_ACQUIRE);
    if (likely((seen & ~ASLEEP) < MOST_READERS && seen != ASLEEP)) {
        return 0;
    }
    return read_unusual(lock, seen);
}

static inline int write_try(struct rwlock *lock) {
    int seen = compare_exchange(&lock->word, 0, WRITER);
    while (seen == ASLEEP) {
        const int now = compare_exchange(&lock->word, ASLEEP, ASLEEP | WRITER);
        if (now == ASLEEP) {
            return 0;
        }
        seen = now == 0 ? compare_exchange(&lock->word, 0, WRITER) : now;
    }
    return seen == 0 ? 0 : BRAWN_EBUSY;
}

/* Sleeps while someone has it whom `in_the_way` names. */
static int sleep_on(struct rwlock *lock, int in_the_way, const struct timespec *until) {
    int seen = load(&lock->word);
    while (seen & in_the_way) {
        const int marked = seen | ASLEEP;
        const int now = seen == marked ? seen : compare_exchange(&lock->word, seen, marked);
        if (now == seen) {
            const int error = __timedwait(&lock->word, marked, CLOCK_REALTIME, until, private(lock));
            return error == BRAWN_EINTR ? 0 : error;
        }
        seen = now;
    }
    return 0;
}

/* Each look takes the word from those who use it, so each comes twice as late as the one before, as in mutex_wait.c. There are
 * fewer, as a read-write lock has no room to learn that they do not pay. */
static void spin_on(const struct rwlock *lock, int in_the_way) {
    for (int pauses = 3; pauses < 24; pauses *= 2) {
        relax_for(pauses);
        const int seen = load(&lock->word);
        if (seen < 0 || !(seen & in_the_way)) {
            return;
        }
    }
}

static __attribute__((noinline)) int read_wait(struct rwlock *lock, int error, const struct timespec *until) {
    spin_on(lock, WRITER);
    while (error == BRAWN_EBUSY) {
        if (load(&lock->word) & WRITER) {
            const int failed = sleep_on(lock, WRITER, until);
            if (failed) {
                return failed;
            }
        } else {
            error = read_try(lock);
        }
    }
    return error;
}

static __attribute__((noinline)) int write_wait(struct rwlock *lock, const struct timespec *until) {
    spin_on(lock, WRITER | READERS);
    while (write_try(lock)) {
        const int failed = sleep_on(lock, WRITER | READERS, until);
        if (failed) {
            return failed;
        }
    }
    return 0;
}

int __pthread_rwlock_tryrdlock(struct rwlock *lock) {
    return load(&lock->word) & WRITER ? BRAWN_EBUSY : read_try(lock);
}

int __pthread_rwlock_timedrdlock(struct rwlock *restrict lock, const struct timespec *restrict until) {
    if (alone(lock)) {
        const int seen = load(&lock->word);
        if (likely((unsigned)seen < MOST_READERS)) {
            store(&lock->word, seen + 1);
            return 0;
        }
    }
    const int error = read_try(lock);
    return likely(error == 0) ? 0 : read_wait(lock, error, until);
}

int __pthread_rwlock_rdlock(struct rwlock *lock) {
    return __pthread_rwlock_timedrdlock(lock, NULL);
}

int __pthread_rwlock_trywrlock(struct rwlock *lock) {
    return load(&lock->word) & (WRITER | READERS) ? BRAWN_EBUSY : write_try(lock);
}

int __pthread_rwlock_timedwrlock(struct rwlock *restrict lock, const struct timespec *restrict until) {
    if (alone(lock) && likely(load(&lock->word) == 0)) {
        store(&lock->word, WRITER);
        return 0;
    }
    return likely(write_try(lock) == 0) ? 0 : write_wait(lock, until);
}

int __pthread_rwlock_wrlock(struct rwlock *lock) {
    return __pthread_rwlock_timedwrlock(lock, NULL);
}

int __pthread_rwlock_unlock(struct rwlock *lock) {
    int seen = load(&lock->word);
    if (alone(lock) && likely(seen > 0)) {
        store(&lock->word, seen & WRITER ? 0 : seen - 1);
        return 0;
    }
    /* Once it is unlocked, the lock may be gone. */
    const int how = private(lock);
    if (seen & WRITER) {
        for (;;) {
            /* Readers who are about to take themselves out have it from here on. */
            const int now = compare_exchange(&lock->word, seen, seen & READERS);
            if (now == seen) {
                break;
            }
            seen = now;
        }
        if (seen < 0) {
            wake(&lock->word, INT32_MAX, how);
        }
        return 0;
    }
    seen = __atomic_fetch_sub(&lock->word, 1, __ATOMIC_RELEASE);
    if (unlikely(seen == (ASLEEP | 1))) {
        wake(&lock->word, 1, how);
    }
    return 0;
}

WEAK_ALIAS(__pthread_rwlock_rdlock, pthread_rwlock_rdlock);
WEAK_ALIAS(__pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock);
WEAK_ALIAS(__pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock);
WEAK_ALIAS(__pthread_rwlock_wrlock, pthread_rwlock_wrlock);
WEAK_ALIAS(__pthread_rwlock_trywrlock, pthread_rwlock_trywrlock);
WEAK_ALIAS(__pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock);
WEAK_ALIAS(__pthread_rwlock_unlock, pthread_rwlock_unlock);
