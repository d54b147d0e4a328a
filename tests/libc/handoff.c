// Memory that one thread allocates and another frees: through a queue between producers and consumers,
// and after the thread that allocated it has ended. Nothing is lost, damaged or kept for ever.
#include "check.h"
#include <pthread.h>

enum { QUEUE = 256, PRODUCERS = 2, CONSUMERS = 2, PARCELS = 6000, LEFT_BEHIND = 300 };

struct parcel {
    size_t size;
    uint64_t seed;
    unsigned char bytes[];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct parcel *slots[QUEUE];
    unsigned head, tail;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void put(struct parcel *parcel) {
    pthread_mutex_lock(&queue.lock);
    while (queue.head - queue.tail == QUEUE)
        pthread_cond_wait(&queue.changed, &queue.lock);
    queue.slots[queue.head++ % QUEUE] = parcel;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

static struct parcel *take(void) {
    pthread_mutex_lock(&queue.lock);
    while (queue.head == queue.tail)
        pthread_cond_wait(&queue.changed, &queue.lock);
    struct parcel *parcel = queue.slots[queue.tail++ % QUEUE];
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    return parcel;
}

static struct parcel *make_parcel(uint64_t *random) {
    size_t size = random_below(random, random_below(random, 50) == 0 ? 200000 : 600);
    struct parcel *parcel = malloc(sizeof *parcel + size);
    CHECK(parcel != NULL, "no memory for a parcel of %zu bytes", size);
    parcel->size = size;
    parcel->seed = random_next(random);
    pattern_fill(parcel->bytes, size, parcel->seed);
    return parcel;
}

static void open_parcel(struct parcel *parcel) {
    CHECK_PATTERN(parcel->bytes, parcel->size, parcel->seed, "a parcel from another thread");
    if (parcel->seed % 4 == 0) {
        size_t size = parcel->size;
        uint64_t seed = parcel->seed;
        parcel = realloc(parcel, sizeof *parcel + size * 2);
        CHECK(parcel != NULL, "no memory to resize a parcel");
        CHECK_PATTERN(parcel->bytes, size, seed, "a parcel resized by another thread");
    }
    free(parcel);
}

static void *produce(void *argument) {
    uint64_t random = 77 + (uint64_t)(uintptr_t)argument;
    for (int i = 0; i < PARCELS / PRODUCERS; i++)
        put(make_parcel(&random));
    return NULL;
}

static void *consume(void *unused) {
    (void)unused;
    struct parcel *parcel;
    while ((parcel = take()) != NULL)
        open_parcel(parcel);
    return NULL;
}

static void through_a_queue(void) {
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    for (int i = 0; i < CONSUMERS; i++)
        CHECK(pthread_create(&consumers[i], NULL, consume, NULL) == 0, "no consumer");
    for (int i = 0; i < PRODUCERS; i++)
        CHECK(pthread_create(&producers[i], NULL, produce, (void *)(uintptr_t)i) == 0, "no producer");
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    for (int i = 0; i < CONSUMERS; i++)
        put(NULL);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
}

static void *leave_parcels(void *argument) {
    struct parcel **parcels = malloc(LEFT_BEHIND * sizeof *parcels);
    CHECK(parcels != NULL, "no memory for the list");
    uint64_t random = 1000 + (uint64_t)(uintptr_t)argument;
    for (int i = 0; i < LEFT_BEHIND; i++)
        parcels[i] = make_parcel(&random);
    return parcels;
}

static void after_the_thread_has_ended(int threads) {
    for (int t = 0; t < threads; t++) {
        pthread_t thread;
        void *result;
        CHECK(pthread_create(&thread, NULL, leave_parcels, (void *)(uintptr_t)t) == 0, "no thread %d", t);
        pthread_join(thread, &result);
        struct parcel **parcels = result;
        for (int i = 0; i < LEFT_BEHIND; i++)
            open_parcel(parcels[(i * 7) % LEFT_BEHIND]);
        free(parcels);
    }
}

int main(int argc, char **argv) {
    int rounds = (int)option_of(argc, argv, "rounds", 15) * scale_of(argc, argv);
    watchdog(300);
    struct growth growth = {0};
    for (int round = 0; round < rounds; round++) {
        watched_round = round;
        watched_step = "through a queue";
        through_a_queue();
        watched_step = "after the thread has ended";
        after_the_thread_has_ended(5);
        growth_sample(&growth, round, rounds);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 8192), "memory freed by other threads");
    return passed();
}
