// No one leaves a barrier before all have come, one of them is told so, and the barrier may be gone as soon as any has left:
// for two threads and many, for more threads than it waits for, under signals, for more barriers at once than the kit has
// places for, between processes and in children of fork. Keys that are deleted and made again have no value, none is lost,
// and only destructors of keys that still exist are called.
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { THREADS = 6, PAIRS = 40 };

static long rounds;

static void start(pthread_t *thread, void *(*work)(void *), void *argument) {
    CHECK(pthread_create(thread, NULL, work, argument) == 0, "no thread");
}

static void together(unsigned threads, void *(*work)(void *)) {
    pthread_t each[THREADS];
    for (uintptr_t i = 0; i < threads; i++)
        start(&each[i], work, (void *)i);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(each[i], NULL);
}

static pthread_barrier_t meeting;
static atomic_long arrived, serials;
static unsigned expected;

static int waits(pthread_barrier_t *barrier) {
    const int answer = pthread_barrier_wait(barrier);
    CHECK(answer == 0 || answer == PTHREAD_BARRIER_SERIAL_THREAD, "a barrier answers %d", answer);
    return answer != 0;
}

static void *meets(void *argument) {
    (void)argument;
    for (long i = 0; i < rounds; i++) {
        arrived++;
        serials += waits(&meeting);
        CHECK(arrived >= (i + 1) * (long)expected, "round %ld: left when %ld had come", i, arrived);
    }
    return NULL;
}

static void in_rounds(unsigned threads) {
    arrived = serials = 0;
    expected = threads;
    CHECK(pthread_barrier_init(&meeting, NULL, threads) == 0, "no barrier");
    together(threads, meets);
    CHECK(serials == rounds, "%ld serial threads in %ld rounds of %u", serials, rounds, threads);
    CHECK(pthread_barrier_destroy(&meeting) == 0, "a barrier stays");
}

// So often, each in its own time.
static void *passes(void *argument) {
    (void)argument;
    for (long i = 0; i < rounds; i++)
        waits(&meeting);
    return NULL;
}

// More threads than the barrier waits for: whoever comes next belongs to the next meeting.
static void *passes_in_turn(void *argument) {
    (void)argument;
    while (arrived++ < 4 * rounds)
        serials += waits(&meeting);
    return NULL;
}

static void of_more_threads(void) {
    arrived = serials = 0;
    pthread_barrier_init(&meeting, NULL, 2);
    together(THREADS, passes_in_turn);
    CHECK(serials == 2 * rounds, "%ld meetings instead of %ld", serials, 2 * rounds);
    pthread_barrier_destroy(&meeting);
}

// Who is told that it was the last makes the next barrier and writes over the old one at once.
static pthread_barrier_t *_Atomic current;

static void *replaces(void *argument) {
    (void)argument;
    for (long i = 0; i < rounds; i++) {
        pthread_barrier_t *const barrier = current;
        if (waits(barrier)) {
            pthread_barrier_t *const next =
                mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            CHECK(next != MAP_FAILED, "no memory");
            pthread_barrier_init(next, NULL, THREADS);
            CHECK(pthread_barrier_destroy(barrier) == 0, "a barrier stays");
            munmap(barrier, 4096);
            current = next;
        } else {
            while (current == barrier)
                sched_yield();
        }
    }
    return NULL;
}

static void gone_at_once(void) {
    current = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_barrier_init(current, NULL, THREADS);
    together(THREADS, replaces);
    munmap(current, 4096);
}

// More barriers at once than the kit has places for: each has one who waits, until another comes to all of them.
static pthread_barrier_t pairs[PAIRS];
static atomic_int met;

static void *waits_for_another(void *argument) {
    for (int i = 0; i < 3; i++) {
        waits(&pairs[(uintptr_t)argument]);
        met++;
    }
    return NULL;
}

static void many_at_once(void) {
    pthread_t each[PAIRS];
    met = 0;
    for (uintptr_t i = 0; i < PAIRS; i++) {
        pthread_barrier_init(&pairs[i], NULL, 2);
        start(&each[i], waits_for_another, (void *)i);
    }
    for (int round = 0; round < 3; round++) {
        usleep(20000);
        CHECK(met == round * PAIRS, "%d have left barriers that wait", met);
        for (int i = 0; i < PAIRS; i++)
            waits(&pairs[i]);
        while (met != (round + 1) * PAIRS)
            sched_yield();
    }
    for (int i = 0; i < PAIRS; i++) {
        pthread_join(each[i], NULL);
        pthread_barrier_destroy(&pairs[i]);
    }
}

static void nothing(int number) {
    (void)number;
}

static atomic_int ended;

static void *disturbs(void *argument) {
    while (!ended) {
        kill(getpid(), SIGUSR1);
        usleep(200);
    }
    return argument;
}

static void under_signals(void) {
    struct sigaction action = {.sa_handler = nothing};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t thread;
    ended = 0;
    start(&thread, disturbs, NULL);
    in_rounds(3);
    ended = 1;
    pthread_join(thread, NULL);
}

// A child of fork, which has been made while others wait, uses barriers of its own.
static void in_children(void) {
    pthread_barrier_init(&meeting, NULL, 2);
    pthread_t thread;
    start(&thread, passes, NULL);
    for (int i = 0; i < 3; i++) {
        const pid_t child = fork();
        CHECK(child >= 0, "no child");
        if (child == 0) {
            watchdog(60);
            rounds = 50;
            in_rounds(3);
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0, "the child's state is %d", status);
    }
    passes(NULL);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&meeting);
}

static void between_processes(void) {
    struct shared {
        pthread_barrier_t barrier;
        atomic_long arrived;
    } *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    CHECK(pthread_barrier_init(&shared->barrier, &attributes, 2) == 0, "no barrier between processes");
    const pid_t child = fork();
    for (long i = 0; i < 200; i++) {
        shared->arrived++;
        waits(&shared->barrier);
        CHECK(shared->arrived >= 2 * (i + 1), "left when %ld had come", shared->arrived);
    }
    if (child == 0)
        _exit(0);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "the child's state is %d", status);
    CHECK(pthread_barrier_destroy(&shared->barrier) == 0, "a barrier stays");
    munmap(shared, 4096);
}

static atomic_long first_calls, second_calls;

static void first(void *value) {
    (void)value;
    first_calls++;
}

static void second(void *value) {
    (void)value;
    second_calls++;
}

static void *sets_both(void *keys) {
    const pthread_key_t *const key = keys;
    pthread_setspecific(key[0], keys);
    pthread_setspecific(key[1], keys);
    return NULL;
}

// As many as can be made, all deleted again, and so again: none is lost, and all are without a value.
static void all_keys(void (*destructor)(void *)) {
    pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
    unsigned count = 0;
    while (count <= PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], destructor) == 0) {
        CHECK(pthread_getspecific(keys[count]) == NULL, "a new key has a value");
        CHECK(pthread_setspecific(keys[count], keys) == 0, "a value cannot be set");
        for (unsigned i = 0; i < count; i++)
            CHECK(keys[i] != keys[count], "key %u twice", keys[i]);
        count++;
    }
    // Some are the heap's or the process's own.
    CHECK(count >= PTHREAD_KEYS_MAX - 8 && count <= PTHREAD_KEYS_MAX, "%u keys", count);
    for (unsigned i = 0; i < count; i++)
        CHECK(pthread_key_delete(keys[i]) == 0, "key %u stays", keys[i]);
}

static void keys(void) {
    pthread_key_t key[2];
    all_keys(NULL);
    all_keys(first);
    all_keys(second);
    // Kept by the kit for another destructor than the one that is asked for, and for the same.
    CHECK(pthread_key_create(&key[0], first) == 0 && pthread_key_delete(key[0]) == 0, "no key");
    CHECK(pthread_key_create(&key[0], second) == 0 && pthread_key_create(&key[1], first) == 0, "no keys");
    pthread_t thread;
    first_calls = second_calls = 0;
    start(&thread, sets_both, key);
    pthread_join(thread, NULL);
    CHECK(first_calls == 1 && second_calls == 1, "%ld and %ld calls", first_calls, second_calls);
    // Deleted while there is one thread, and while there are two: no destructor is called.
    CHECK(pthread_key_delete(key[0]) == 0, "a key stays");
    pthread_barrier_init(&meeting, NULL, 2);
    rounds = 1;
    start(&thread, passes, NULL);
    CHECK(pthread_key_delete(key[1]) == 0, "a key stays");
    all_keys(second);
    waits(&meeting);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&meeting);
    CHECK(first_calls == 1 && second_calls == 1, "%ld and %ld calls", first_calls, second_calls);
}

static void *makes_keys(void *argument) {
    (void)argument;
    for (long i = 0; i < rounds; i++) {
        pthread_key_t key;
        CHECK(pthread_key_create(&key, i % 2 ? first : NULL) == 0, "no key");
        CHECK(pthread_getspecific(key) == NULL, "a new key has a value");
        pthread_setspecific(key, &key);
        CHECK(pthread_getspecific(key) == &key, "a key is another's as well");
        CHECK(pthread_key_delete(key) == 0, "a key stays");
    }
    return NULL;
}

int main(int argc, char **argv) {
    const int scale = scale_of(argc, argv);
    watchdog(60 * (unsigned)scale);
    const long all = option_of(argc, argv, "rounds", 1000);
    CHECK(pthread_barrier_init(&meeting, NULL, 0) == EINVAL, "a barrier for no one");
    pthread_barrier_init(&meeting, NULL, 1);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD, "alone, and not the last");
    for (watched_round = 0; watched_round < scale; watched_round++) {
        watched_step = "keys";
        keys();
        rounds = all;
        watched_step = "rounds";
        in_rounds(2);
        in_rounds(THREADS);
        watched_step = "more threads than the barrier waits for";
        of_more_threads();
        watched_step = "barriers that are gone at once";
        gone_at_once();
        watched_step = "many barriers at once";
        many_at_once();
        watched_step = "signals";
        under_signals();
        watched_step = "children";
        in_children();
        rounds = all;
        watched_step = "processes";
        between_processes();
        watched_step = "keys of several threads";
        together(THREADS, makes_keys);
        makes_keys(NULL);
    }
    return passed();
}
