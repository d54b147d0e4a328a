// What a lock protects has one writer, and no one waits for ever: mutexes by every way to take them, with and without time,
// beside condition variables whose waiters sleep on the mutex; read-write locks with readers that come and go; spin locks;
// from one thread to many and back, in a child of fork, and between processes.
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

enum { THREADS = 6, CONDITIONS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conditions[CONDITIONS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t mtx;
static long rounds;

// Changed only under the lock, in two places that must agree.
static struct {
    volatile long first, between[16], second;
} guarded[4];
static atomic_long taken[4];
static atomic_int waiting;

static struct timespec in(long microseconds) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += microseconds % 1000000 * 1000;
    time.tv_sec += microseconds / 1000000 + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void change(int what) {
    const long value = guarded[what].first;
    CHECK(guarded[what].second == value, "lock %d has two owners: %ld and %ld", what, value,
          guarded[what].second);
    guarded[what].first = value + 1;
    if (value % 64 == 0)
        sched_yield();
    CHECK(guarded[what].first == value + 1, "lock %d let another in", what);
    guarded[what].second = value + 1;
    atomic_fetch_add_explicit(&taken[what], 1, memory_order_relaxed);
}

static void take_mutex(uint64_t *random) {
    const struct timespec soon = in((long)random_below(random, 200));
    int error = 0;
    switch (random_below(random, 4)) {
    case 0:
        while ((error = pthread_mutex_trylock(&mutex)) == EBUSY)
            sched_yield();
        break;
    case 1:
        while ((error = pthread_mutex_timedlock(&mutex, &soon)) == ETIMEDOUT)
            sched_yield();
        break;
    default:
        error = pthread_mutex_lock(&mutex);
    }
    CHECK(error == 0, "a mutex fails with %d", error);
}

// All stop now and then: whoever was not woken then is not woken by a later unlock either.
static pthread_barrier_t pause_for_all;

static void stop(long round) {
    if (round % 3 == 0)
        pthread_barrier_wait(&pause_for_all);
}

// Locks, and now and then waits for a condition, which another signals or broadcasts.
static void *of_mutex(void *argument) {
    uint64_t random = (uintptr_t)argument * 77 + 1;
    for (long i = 0; i < rounds; i++) {
        stop(i);
        take_mutex(&random);
        change(0);
        pthread_cond_t *const condition = &conditions[random_below(&random, CONDITIONS)];
        switch (random_below(&random, 16)) {
        case 0: {
            const struct timespec soon = in((long)random_below(&random, 2000));
            waiting++;
            const int error = pthread_cond_timedwait(condition, &mutex, &soon);
            waiting--;
            CHECK(error == 0 || error == ETIMEDOUT, "a condition fails with %d", error);
            change(0);
            break;
        }
        case 1:
            pthread_cond_signal(condition);
            break;
        case 2:
        case 3:
            pthread_cond_broadcast(condition);
        }
        CHECK(pthread_mutex_unlock(&mutex) == 0, "unlock fails");
    }
    return NULL;
}

// All sleep on a condition without a limit, and a broadcast lets all of them go on.
static int generation, arrived;

static void *of_broadcasts(void *argument) {
    (void)argument;
    for (int i = 0; i < 60; i++) {
        CHECK(pthread_mutex_lock(&mutex) == 0, "lock fails");
        const int mine = generation;
        if (++arrived == THREADS) {
            arrived = 0;
            generation++;
            pthread_cond_broadcast(&conditions[0]);
        }
        while (mine == generation)
            pthread_cond_wait(&conditions[0], &mutex);
        change(0);
        CHECK(pthread_mutex_unlock(&mutex) == 0, "unlock fails");
        // Others that sleep by their own call, beside those whom the broadcast puts there.
        CHECK(pthread_mutex_lock(&mutex) == 0, "lock fails");
        sched_yield();
        change(0);
        CHECK(pthread_mutex_unlock(&mutex) == 0, "unlock fails");
    }
    return NULL;
}

static atomic_int readers, writers;

static void *of_rwlock(void *argument) {
    uint64_t random = (uintptr_t)argument * 99 + 1;
    for (long i = 0; i < rounds; i++) {
        stop(i);
        const struct timespec soon = in((long)random_below(&random, 200));
        const size_t way = random_below(&random, 16);
        const bool write = way < 4;
        int error = 0;
        switch (way) {
        case 0:
            while ((error = pthread_rwlock_trywrlock(&rwlock)) == EBUSY)
                sched_yield();
            break;
        case 1:
            while ((error = pthread_rwlock_timedwrlock(&rwlock, &soon)) == ETIMEDOUT)
                sched_yield();
            break;
        case 2:
        case 3:
            error = pthread_rwlock_wrlock(&rwlock);
            break;
        case 4:
        case 5:
            while ((error = pthread_rwlock_tryrdlock(&rwlock)) == EBUSY)
                sched_yield();
            break;
        case 6:
        case 7:
            while ((error = pthread_rwlock_timedrdlock(&rwlock, &soon)) == ETIMEDOUT)
                sched_yield();
            break;
        default:
            error = pthread_rwlock_rdlock(&rwlock);
        }
        CHECK(error == 0, "a read-write lock fails with %d", error);
        if (write) {
            CHECK(atomic_fetch_add(&writers, 1) == 0 && readers == 0, "a writer is not alone");
            change(1);
            atomic_fetch_sub(&writers, 1);
        } else {
            atomic_fetch_add(&readers, 1);
            CHECK(writers == 0, "a reader beside a writer");
            CHECK(guarded[1].first == guarded[1].second, "a reader sees half of a change");
            if (way == 15) {
                CHECK(pthread_rwlock_rdlock(&rwlock) == 0, "a reader cannot read again");
                sched_yield();
                CHECK(pthread_rwlock_unlock(&rwlock) == 0, "unlock fails");
            }
            if (way == 14)
                usleep(20);
            atomic_fetch_sub(&readers, 1);
        }
        CHECK(pthread_rwlock_unlock(&rwlock) == 0, "unlock fails");
    }
    return NULL;
}

static void *of_others(void *argument) {
    uint64_t random = (uintptr_t)argument * 55 + 1;
    for (long i = 0; i < rounds; i++) {
        if (random_below(&random, 2)) {
            if (random_below(&random, 2))
                while (pthread_spin_trylock(&spin) == EBUSY)
                    sched_yield();
            else
                CHECK(pthread_spin_lock(&spin) == 0, "a spin lock fails");
            change(2);
            CHECK(pthread_spin_unlock(&spin) == 0, "unlock fails");
        } else {
            const struct timespec soon = in(200);
            int error;
            if (random_below(&random, 2))
                error = mtx_lock(&mtx);
            else
                while ((error = mtx_timedlock(&mtx, &soon)) == thrd_timedout)
                    sched_yield();
            CHECK(error == thrd_success, "a mutex of C11 fails with %d", error);
            change(3);
            CHECK(mtx_unlock(&mtx) == thrd_success, "unlock fails");
        }
    }
    return NULL;
}

static void together(void *(*body)(void *)) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, body, (void *)(i + 1)) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

// What one call answers, whatever the number of threads.
static void answers(void) {
    struct timespec past = in(0), odd = past;
    odd.tv_nsec = 1000000000;
    pthread_mutex_t of[3];
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
    for (int i = 0; i < 6; i++) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, types[i % 3]);
        if (i >= 3)
            pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_t *const one = &of[i % 3];
        CHECK(pthread_mutex_init(one, &attributes) == 0 && pthread_mutex_lock(one) == 0, "kind %d: no lock",
              i);
        const int again = pthread_mutex_trylock(one);
        CHECK(again == (i % 3 == 1 ? 0 : EBUSY) || (i == 5 && again == EDEADLK),
              "kind %d: trylock answers %d", i, again);
        const int timed = pthread_mutex_timedlock(one, &past);
        CHECK(timed == (i % 3 == 1   ? 0
                        : i % 3 == 2 ? EDEADLK
                                     : ETIMEDOUT),
              "kind %d: timedlock answers %d", i, timed);
        if (i == 0)
            CHECK(pthread_mutex_timedlock(one, &odd) == EINVAL, "a time that is none is taken");
        for (int j = i % 3 == 1 ? 3 : 1; j > 0; j--)
            CHECK(pthread_mutex_unlock(one) == 0, "kind %d: unlock fails", i);
        if (i % 3 != 0)
            CHECK(pthread_mutex_unlock(one) == EPERM, "kind %d: unlocked twice", i);
        CHECK(pthread_mutex_timedlock(one, &odd) == 0 && pthread_mutex_unlock(one) == 0, "kind %d: not free",
              i);
        CHECK(pthread_mutex_trylock(one) == 0 && pthread_mutex_trylock(one) == again, "kind %d: trylock", i);
        for (int j = again == 0 ? 2 : 1; j > 0; j--)
            CHECK(pthread_mutex_unlock(one) == 0, "kind %d: unlock fails", i);
        CHECK(pthread_mutex_destroy(one) == 0, "kind %d: destroy fails", i);
    }
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    CHECK(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_tryrdlock(&lock) == 0, "no two readers");
    CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY, "a writer beside readers");
    CHECK(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT, "no end of time for a writer");
    CHECK(pthread_rwlock_timedwrlock(&lock, &odd) == EINVAL, "a time that is none is taken");
    CHECK(pthread_rwlock_timedrdlock(&lock, &past) == 0, "a reader waits for no one");
    for (int i = 0; i < 3; i++)
        CHECK(pthread_rwlock_unlock(&lock) == 0, "unlock fails");
    CHECK(pthread_rwlock_wrlock(&lock) == 0, "no writer");
    CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY && pthread_rwlock_tryrdlock(&lock) == EBUSY,
          "a writer and more");
    const int read = pthread_rwlock_timedrdlock(&lock, &past);
    CHECK(read == ETIMEDOUT || read == EDEADLK, "a reader beside its own writer is told %d", read);
    CHECK(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_destroy(&lock) == 0, "unlock fails");
    CHECK(pthread_rwlock_trywrlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0, "not free");
    CHECK(pthread_spin_lock(&spin) == 0 && pthread_spin_trylock(&spin) == EBUSY, "a spin lock twice");
    CHECK(pthread_spin_unlock(&spin) == 0 && pthread_spin_trylock(&spin) == 0, "a spin lock is not free");
    CHECK(pthread_spin_unlock(&spin) == 0, "unlock fails");
}

static void *sleeps(void *argument) {
    for (;;)
        sleep(100);
    return argument;
}

// Taken by a process with one thread and given back by one with two, and the reverse.
static void *writes(void *argument) {
    CHECK(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0, "no writer");
    return argument;
}

static void *unlocks(void *argument) {
    (void)argument;
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY && pthread_rwlock_tryrdlock(&rwlock) == EBUSY,
          "nothing is locked");
    waiting = 1;
    CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_mutex_lock(&mutex) == 0, "no lock");
    return NULL;
}

static void alone_and_not(void) {
    for (int i = 0; i < 20; i++) {
        waiting = 0;
        CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_rwlock_wrlock(&rwlock) == 0, "no lock");
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, unlocks, NULL) == 0, "no thread");
        while (!waiting)
            sched_yield();
        usleep(i % 4 * 300);
        CHECK(pthread_rwlock_unlock(&rwlock) == 0 && pthread_mutex_unlock(&mutex) == 0, "unlock fails");
        pthread_join(thread, NULL);
        CHECK(pthread_mutex_trylock(&mutex) == EBUSY && pthread_rwlock_trywrlock(&rwlock) == EBUSY,
              "not locked");
        CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_rwlock_unlock(&rwlock) == 0, "unlock fails");
        // Two writers who sleep, and readers who do not wait for them.
        pthread_t second;
        CHECK(pthread_rwlock_rdlock(&rwlock) == 0, "no reader");
        CHECK(pthread_create(&thread, NULL, writes, NULL) == 0, "no thread");
        CHECK(pthread_create(&second, NULL, writes, NULL) == 0, "no thread");
        usleep(i % 4 * 300);
        CHECK(pthread_rwlock_unlock(&rwlock) == 0, "unlock fails");
        for (int j = i % 3; j > 0; j--)
            CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0, "no reader");
        pthread_join(thread, NULL);
        pthread_join(second, NULL);
    }
}

// The third is for what happens to the other two meanwhile.
static pthread_mutex_t owned[3];

static void *owns(void *argument) {
    for (int i = 0; i < 2; i++)
        CHECK(pthread_mutex_trylock(&owned[i]) == EBUSY && pthread_mutex_unlock(&owned[i]) == EPERM,
              "mutex %d is not another's", i);
    waiting = 1;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_mutex_lock(&owned[i]) == 0, "no lock");
    waiting = 2;
    usleep(200);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_mutex_unlock(&owned[i]) == 0, "unlock fails");
    return argument;
}

static void make_owned(void) {
    static const int types[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE};
    for (int i = 0; i < 3; i++) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, types[i]);
        CHECK(pthread_mutex_init(&owned[i], &attributes) == 0, "no mutex");
    }
}

// No list has them any more: who takes another mutex, with a second thread there, does not write to them.
static void are_in_no_list(void) {
    static const unsigned char rest[2 * sizeof *owned] = {0};
    pthread_t thread;
    memset(owned, 0, sizeof rest);
    CHECK(pthread_create(&thread, NULL, sleeps, NULL) == 0, "no thread");
    CHECK(pthread_mutex_lock(&owned[2]) == 0 && pthread_mutex_unlock(&owned[2]) == 0, "no lock");
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    CHECK(memcmp(owned, rest, sizeof rest) == 0, "a mutex that was given back is written to");
    make_owned();
}

// The same with mutexes that have an owner, some of them more than once, and one that its owner takes with it.
static void owned_alone_and_not(void) {
    make_owned();
    for (int i = 0; i < 20; i++) {
        waiting = 0;
        const int times = 1 + i % 3;
        for (int j = 0; j < times; j++)
            CHECK(pthread_mutex_lock(&owned[0]) == 0, "no lock");
        CHECK(pthread_mutex_lock(&owned[1]) == 0 && pthread_mutex_lock(&owned[1]) == EDEADLK, "no lock");
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, owns, NULL) == 0, "no thread");
        while (!waiting)
            sched_yield();
        usleep(i % 4 * 300);
        // Two threads: once more, and in either order.
        CHECK(pthread_mutex_lock(&owned[0]) == 0 && pthread_mutex_unlock(&owned[0]) == 0, "no lock");
        if (i % 2)
            CHECK(pthread_mutex_unlock(&owned[1]) == 0 && pthread_mutex_unlock(&owned[1]) == EPERM, "unlock");
        for (int j = 0; j < times; j++)
            CHECK(pthread_mutex_unlock(&owned[0]) == 0, "unlock fails");
        if (i % 2 == 0)
            CHECK(pthread_mutex_unlock(&owned[1]) == 0 && pthread_mutex_unlock(&owned[1]) == EPERM, "unlock");
        // The other has both before this one gets them again, to keep them until it is alone.
        while (waiting != 2)
            sched_yield();
        for (int k = i & 1, j = 0; j < 2; j++, k ^= 1)
            CHECK(pthread_mutex_lock(&owned[k]) == 0, "no lock");
        pthread_join(thread, NULL);
        const int again = pthread_mutex_lock(&owned[0]);
        CHECK(again == 0 && pthread_mutex_unlock(&owned[0]) == 0, "no lock");
        for (int k = i >> 1 & 1, j = 0; j < 2; j++, k ^= 1)
            CHECK(pthread_mutex_unlock(&owned[k]) == 0 && pthread_mutex_unlock(&owned[k]) == EPERM, "unlock");
        are_in_no_list();
    }
    // A child is another owner.
    CHECK(pthread_mutex_lock(&owned[0]) == 0, "no lock");
    const pid_t child = fork();
    CHECK(child >= 0, "no child");
    if (child == 0) {
        CHECK(pthread_mutex_trylock(&owned[0]) == EBUSY && pthread_mutex_unlock(&owned[0]) == EPERM,
              "the parent's mutex");
        CHECK(pthread_mutex_lock(&owned[1]) == 0 && pthread_mutex_unlock(&owned[1]) == 0, "no lock");
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ends with %d", status);
    CHECK(pthread_mutex_unlock(&owned[0]) == 0, "unlock fails");
}

static void *of_owned(void *argument) {
    for (int i = 0; i < rounds; i++) {
        CHECK(pthread_mutex_lock(&owned[0]) == 0 && pthread_mutex_lock(&owned[0]) == 0, "no lock");
        change(0);
        CHECK(pthread_mutex_unlock(&owned[0]) == 0 && pthread_mutex_unlock(&owned[0]) == 0, "unlock fails");
    }
    return argument;
}

// Locks that two processes share, and one that a child has of its own.
static void processes(void) {
    struct {
        pthread_rwlock_t rwlock;
        pthread_mutex_t mutex;
        pthread_cond_t condition;
        volatile long first, second;
    } *const shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED, "no memory");
    pthread_rwlockattr_t of_rwlock;
    pthread_mutexattr_t of_mutex;
    pthread_rwlockattr_init(&of_rwlock);
    pthread_mutexattr_init(&of_mutex);
    pthread_rwlockattr_setpshared(&of_rwlock, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&shared->rwlock, &of_rwlock);
    pthread_mutex_init(&shared->mutex, &of_mutex);
    pid_t children[3];
    for (int i = 0; i < 3; i++) {
        CHECK((children[i] = fork()) >= 0, "no child");
        if (children[i])
            continue;
        watchdog(60);
        for (int j = 0; j < 2000; j++) {
            const bool write = j % 3 == 0;
            CHECK((write ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(&shared->rwlock) == 0, "no lock");
            CHECK(shared->first == shared->second, "a lock of several processes has two owners");
            shared->first += write;
            if (j % 50 == 0)
                sched_yield();
            shared->second += write;
            CHECK(pthread_rwlock_unlock(&shared->rwlock) == 0, "unlock fails");
            CHECK(pthread_mutex_lock(&shared->mutex) == 0 && pthread_mutex_unlock(&shared->mutex) == 0,
                  "no lock");
            CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0, "no lock");
        }
        _exit(0);
    }
    for (int i = 0; i < 3; i++) {
        int status;
        CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0, "a child ended with %#x",
              status);
    }
    CHECK(shared->first == 3 * 667, "%ld changes", shared->first);
    // A condition: a child waits until the parent has changed what it waits for.
    pthread_condattr_t of_condition;
    pthread_condattr_init(&of_condition);
    pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->condition, &of_condition);
    for (int way = 0; way < 2; way++) {
        shared->first = 0;
        const pid_t child = fork();
        CHECK(child >= 0, "no child");
        if (child == 0) {
            watchdog(20);
            CHECK(pthread_mutex_lock(&shared->mutex) == 0, "no lock");
            shared->first = 1;
            while (shared->first != 2)
                CHECK(pthread_cond_wait(&shared->condition, &shared->mutex) == 0, "cannot wait");
            CHECK(pthread_mutex_unlock(&shared->mutex) == 0, "unlock fails");
            _exit(0);
        }
        for (bool waits = false; !waits; usleep(1000)) {
            CHECK(pthread_mutex_lock(&shared->mutex) == 0, "no lock");
            waits = shared->first == 1;
            shared->first += waits;
            CHECK(pthread_mutex_unlock(&shared->mutex) == 0, "unlock fails");
        }
        CHECK((way ? pthread_cond_broadcast : pthread_cond_signal)(&shared->condition) == 0, "no signal");
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ends with %d", status);
    }
    munmap(shared, sizeof *shared);
}

int main(int argc, char **argv) {
    const int scale = scale_of(argc, argv);
    rounds = option_of(argc, argv, "rounds", 3000);
    watchdog(60 * (unsigned)scale);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    mtx_init(&mtx, mtx_plain);
    pthread_barrier_init(&pause_for_all, NULL, THREADS);
    pthread_t thread;
    answers();
    CHECK(pthread_create(&thread, NULL, sleeps, NULL) == 0, "no thread");
    answers(); // the spin lock is shared, so not in several threads
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    for (watched_round = 0; watched_round < scale; watched_round++) {
        watched_step = "spin locks and those of C11";
        together(of_others);
        watched_step = "mutexes";
        together(of_mutex);
        watched_step = "broadcasts";
        together(of_broadcasts);
        watched_step = "read-write locks";
        together(of_rwlock);
        watched_step = "one thread and two";
        alone_and_not();
        owned_alone_and_not();
        watched_step = "recursive mutexes";
        together(of_owned);
        watched_step = "processes";
        processes();
    }
    for (int i = 0; i < 4; i++)
        CHECK(guarded[i].first == taken[i], "%ld changes of %ld under lock %d", guarded[i].first,
              (long)taken[i], i);
    return passed();
}
