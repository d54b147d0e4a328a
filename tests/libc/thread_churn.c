// Ten thousand short-lived threads, joined and detached, each of which allocates and leaves a block for
// others to free: what an allocator keeps per thread must be given back or used again.
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 10000, AT_ONCE = 8, MAILBOX = 32 };

static void *_Atomic mailbox[MAILBOX];
static atomic_int running;

static void *live_briefly(void *argument) {
    uintptr_t number = (uintptr_t)argument;
    uint64_t random = 99 + number;
    void *blocks[24];
    for (int i = 0; i < 24; i++) {
        size_t size = 1 + random_below(&random, i == 0 ? 40000 : 900);
        blocks[i] = malloc(size);
        CHECK(blocks[i] != NULL, "thread %zu: no memory for %zu bytes", (size_t)number, size);
        memset(blocks[i], 1, size);
    }
    // The first block is left to a later thread, the second freed by yet another one.
    free(atomic_exchange(&mailbox[number % MAILBOX], blocks[0]));
    free(atomic_exchange(&mailbox[random_below(&random, MAILBOX)], blocks[1]));
    for (int i = 2; i < 24; i++)
        free(blocks[i]);
    atomic_fetch_sub(&running, 1);
    return NULL;
}

static void joined(uintptr_t first) {
    pthread_t threads[AT_ONCE];
    atomic_fetch_add(&running, AT_ONCE);
    for (uintptr_t i = 0; i < AT_ONCE; i++)
        CHECK(pthread_create(&threads[i], NULL, live_briefly, (void *)(first + i)) == 0, "no thread");
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
}

static void detached(uintptr_t first) {
    for (uintptr_t i = 0; i < AT_ONCE; i++) {
        pthread_t thread;
        atomic_fetch_add(&running, 1);
        CHECK(pthread_create(&thread, NULL, live_briefly, (void *)(first + i)) == 0, "no thread");
        pthread_detach(thread);
    }
    while (atomic_load(&running) > 0)
        sched_yield();
}

int main(int argc, char **argv) {
    uintptr_t threads =
        (uintptr_t)option_of(argc, argv, "threads", THREADS) * (uintptr_t)scale_of(argc, argv);
    watchdog(300);
    watched_step = "short-lived threads";
    struct growth growth = {0};
    for (uintptr_t n = 0; n < threads; n += AT_ONCE) {
        watched_round = (int)n;
        if (n / AT_ONCE % 2 == 0)
            joined(n);
        else
            detached(n);
        growth_sample(&growth, (long)n / AT_ONCE, (long)threads / AT_ONCE);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 2048), "short-lived threads");
    for (int i = 0; i < MAILBOX; i++)
        free(mailbox[i]);
    return passed();
}
