// Stacks of ended threads are used again. What a thread left in thread-local variables, keys and on its stack is not the next
// one's; each has the guard that it asked for; threads that end detached, are joined, and are forked from at once leave the
// stacks whole; and no more than a little is kept.
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { CREATORS = 4, ROUNDS = 300, LOCAL = 1500 };

static __thread unsigned char local[LOCAL];
static __thread int initialised = 12345;
static pthread_key_t keys[8];
static atomic_int alive;

// What it finds must be as new; what it leaves must not be found.
static void *dirty(void *argument) {
    CHECK(initialised == 12345, "a thread-local variable begins as %d", initialised);
    for (int i = 0; i < LOCAL; i++)
        CHECK(local[i] == 0, "byte %d of thread-local storage begins as %d", i, local[i]);
    for (int i = 0; i < 8; i++)
        CHECK(pthread_getspecific(keys[i]) == NULL, "key %d has a value", i);
    CHECK(errno == 0, "errno begins as %d", errno);
    memset(local, 0xEE, sizeof local);
    initialised = -1;
    errno = ERANGE;
    for (int i = 0; i < 8; i++)
        pthread_setspecific(keys[i], argument);
    volatile unsigned char below[40000];
    for (size_t i = 0; i < sizeof below; i += 512)
        below[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof below; i += 512)
        CHECK(below[i] == (unsigned char)i, "the stack changed");
    atomic_fetch_sub(&alive, 1);
    return argument;
}

static pthread_t start(void *(*body)(void *), size_t stack, size_t guard, bool detached) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, stack) == 0, "a stack of %zu bytes is refused", stack);
    CHECK(pthread_attr_setguardsize(&attributes, guard) == 0, "a guard of %zu bytes is refused", guard);
    pthread_attr_setdetachstate(&attributes, detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
    CHECK(pthread_create(&thread, &attributes, body, (void *)1) == 0, "no thread");
    pthread_attr_destroy(&attributes);
    return thread;
}

static const size_t stacks[] = {65536, 131072, 262144, 2 << 20};
static const size_t guards[] = {4096, 8192, 0, 65536};

// Threads of all kinds, several at once.
static void *create(void *argument) {
    uint64_t random = (uintptr_t)argument;
    for (int i = 0; i < ROUNDS; i++) {
        const bool detached = random_below(&random, 3) == 0;
        const size_t stack = stacks[random_below(&random, 4)], guard = guards[random_below(&random, 4)];
        atomic_fetch_add(&alive, 1);
        const pthread_t thread = start(dirty, stack, guard, detached);
        if (!detached) {
            void *result;
            CHECK(pthread_join(thread, &result) == 0 && result == (void *)1, "a wrong result");
        }
        // The child has the stacks of all, of which one or two may be half taken.
        if (i % 50 == 49) {
            pid_t child = fork();
            CHECK(child >= 0, "no process");
            if (child == 0) {
                watchdog(60);
                for (int k = 0; k < 12; k++)
                    pthread_join(start(dirty, stacks[k % 4], guards[k / 4], false), NULL);
                _exit(0);
            }
            int status;
            CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ended with %d", status);
        }
    }
    return NULL;
}

// Writes the lowest byte of its stack, and with `beyond` the one below it, which is the guard's.
static bool beyond;

static void *touch_lowest(void *unused) {
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0, "no attributes");
    pthread_attr_getstack(&attributes, &lowest, &size);
    *(volatile char *)lowest = 1;
    if (beyond)
        ((volatile char *)lowest)[-1] = 1;
    return unused;
}

static void guards_are_as_asked_for(void) {
    for (int before = 0; before < 3; before++) {
        for (int after = 0; after < 3; after++) {
            const size_t all[] = {4096, 16384, 8192};
            pid_t child = fork();
            CHECK(child >= 0, "no process");
            if (child == 0) {
                // The sum of stack and guard is the same, so that one takes the other's place.
                const size_t sum = 262144;
                signal(SIGSEGV, SIG_DFL);
                pthread_join(start(touch_lowest, sum - all[before], all[before], false), NULL);
                pthread_join(start(touch_lowest, sum - all[after], all[after], false), NULL);
                beyond = true;
                pthread_join(start(touch_lowest, sum - all[after], all[after], false), NULL);
                _exit(0);
            }
            int status;
            CHECK(waitpid(child, &status, 0) == child, "no end");
            CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
                  "a guard of %zu bytes after one of %zu does not guard: status %d", all[after], all[before],
                  status);
        }
    }
}

static pthread_barrier_t barrier;

static void *meets(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

// A stack without a guard, where one with a guard was before that is kept no more: what comes next has its guard.
static void guards_are_not_taken_for_granted(void) {
    enum { OTHERS = 24 };
    const pid_t child = fork();
    CHECK(child >= 0, "no process");
    if (child == 0) {
        const size_t sum = 262144;
        pthread_t others[OTHERS];
        signal(SIGSEGV, SIG_DFL);
        pthread_join(start(touch_lowest, sum - 8192, 8192, false), NULL);
        pthread_barrier_init(&barrier, NULL, OTHERS);
        for (int i = 0; i < OTHERS; i++)
            others[i] = start(meets, 65536, 8192, false);
        for (int i = 0; i < OTHERS; i++)
            pthread_join(others[i], NULL);
        pthread_join(start(touch_lowest, sum, 0, false), NULL);
        beyond = true;
        pthread_join(start(touch_lowest, sum - 8192, 8192, false), NULL);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child, "no end");
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "a stack has no guard: status %d", status);
}

static void *deep(void *unused) {
    volatile unsigned char below[700000];
    for (size_t i = 0; i < sizeof below; i += 4096)
        below[i] = 1;
    pthread_barrier_wait(&barrier);
    return unused;
}

static void little_is_kept(long limit) {
    enum { DEEP = 24 };
    pthread_t threads[DEEP];
    const long before = resident_kib();
    pthread_barrier_init(&barrier, NULL, DEEP);
    for (int i = 0; i < DEEP; i++)
        threads[i] = start(deep, 1 << 20, 8192, false);
    for (int i = 0; i < DEEP; i++)
        pthread_join(threads[i], NULL);
    const long more = resident_kib() - before;
    CHECK(more < limit, "%d threads with deep stacks leave %ld KiB", DEEP, more);
}

int main(int argc, char **argv) {
    watchdog(240);
    const int scale = scale_of(argc, argv);
    for (int i = 0; i < 8; i++)
        CHECK(pthread_key_create(&keys[i], NULL) == 0, "no key");
    watched_step = "guards";
    if (option_of(argc, argv, "guards", 1))
        guards_are_as_asked_for(), guards_are_not_taken_for_granted();
    watched_step = "what is kept";
    little_is_kept(option_of(argc, argv, "kept-kib", 1024));
    watched_step = "threads of all kinds";
    for (int round = 0; round < scale; round++) {
        pthread_t creators[CREATORS];
        watched_round = round;
        for (uintptr_t i = 0; i < CREATORS; i++)
            CHECK(pthread_create(&creators[i], NULL, create, (void *)(i + 1 + (uintptr_t)round * 8)) == 0,
                  "no thread");
        for (int i = 0; i < CREATORS; i++)
            pthread_join(creators[i], NULL);
        while (atomic_load(&alive) > 0)
            sched_yield();
    }
    return passed();
}
