// Threads are cancelled around allocations. malloc and free are no cancellation points: a pending request
// must not act inside them, where the heap may hold a lock, also not at a thread's very first use of the
// heap.
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 400, BLOCKS = 30 };

static atomic_int cleaned, inside_heap;

struct holdings {
    void *blocks[BLOCKS];
    uint64_t random;
    atomic_bool ready;
};

static void clean_up(void *argument) {
    struct holdings *holdings = argument;
    for (int i = 0; i < BLOCKS; i++)
        free(holdings->blocks[i]);
    free(malloc(100));
    atomic_fetch_add(&cleaned, 1);
}

static void note_cancelled_inside(void *unused) {
    (void)unused;
    atomic_fetch_add(&inside_heap, 1);
}

static void use_heap(struct holdings *holdings) {
    pthread_cleanup_push(note_cancelled_inside, NULL);
    for (int n = 0; n < 20; n++) {
        size_t i = random_below(&holdings->random, BLOCKS);
        holdings->blocks[i] = realloc(holdings->blocks[i], random_size(&holdings->random) + 1);
        CHECK(holdings->blocks[i] != NULL, "no memory");
    }
    free(malloc(3000000));
    pthread_cleanup_pop(0);
}

static void *allocate_until_cancelled(void *argument) {
    struct holdings *holdings = argument;
    pthread_cleanup_push(clean_up, holdings);
    for (;;) {
        use_heap(holdings); // the first time often with the request already pending
        atomic_store(&holdings->ready, true);
        struct timespec moment = {0, 1000};
        nanosleep(&moment, NULL); // here is where the request acts
    }
    pthread_cleanup_pop(0);
    return NULL;
}

int main(int argc, char **argv) {
    int threads = THREADS * scale_of(argc, argv);
    watchdog(120);
    struct growth growth = {0};
    for (int n = 0; n < threads; n++) {
        watched_round = n;
        watched_step = "cancel";
        struct holdings holdings = {.random = (uint64_t)n + 1};
        pthread_t thread;
        void *result;
        CHECK(pthread_create(&thread, NULL, allocate_until_cancelled, &holdings) == 0, "no thread");
        if (n % 2 == 0)
            while (!atomic_load(&holdings.ready))
                sched_yield();
        CHECK(pthread_cancel(thread) == 0, "pthread_cancel failed");
        watched_step = "join";
        CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED,
              "the thread was not cancelled");
        free(malloc(1000));
        growth_sample(&growth, n, threads);
    }
    CHECK(atomic_load(&inside_heap) == 0, "%d requests acted inside the heap", atomic_load(&inside_heap));
    CHECK(atomic_load(&cleaned) == threads, "%d of %d threads cleaned up", atomic_load(&cleaned), threads);
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 4096), "cancelled threads");
    return passed();
}
