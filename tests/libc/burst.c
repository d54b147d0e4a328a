// What stays after a burst: 48 MiB in small and medium blocks by four threads, all freed. Resident memory at
// the peak, right after, and a second later is reported on stderr for the record; only nonsense fails.
#include "check.h"
#include <pthread.h>
#include <time.h>

enum { THREADS = 4, BYTES_PER_THREAD = 12 * 1024 * 1024, MAX_BLOCKS = 200000 };

static pthread_barrier_t phase;

static void *allocate_and_free(void *argument) {
    uint64_t random = 9 + (uint64_t)(uintptr_t)argument;
    void **blocks = malloc(MAX_BLOCKS * sizeof *blocks);
    CHECK(blocks != NULL, "no memory for the list");
    size_t count = 0;
    for (size_t total = 0; total < BYTES_PER_THREAD && count < MAX_BLOCKS; count++) {
        size_t size = 16 + random_below(&random, random_below(&random, 8) == 0 ? 32768 : 512);
        blocks[count] = malloc(size);
        CHECK(blocks[count] != NULL, "no memory for %zu bytes", size);
        memset(blocks[count], 1, size);
        total += size;
    }
    pthread_barrier_wait(&phase);
    pthread_barrier_wait(&phase);
    for (size_t i = 0; i < count; i++)
        free(blocks[i]);
    free(blocks);
    pthread_barrier_wait(&phase);
    pthread_barrier_wait(&phase);
    return NULL;
}

int main(int argc, char **argv) {
    int bursts = scale_of(argc, argv);
    watchdog(120);
    long first_start = resident_kib(); // later bursts begin with what the earlier ones left
    for (int n = 0; n < bursts; n++) {
        pthread_t threads[THREADS];
        CHECK(pthread_barrier_init(&phase, NULL, THREADS + 1) == 0, "no barrier");
        long start = resident_kib();
        for (uintptr_t t = 0; t < THREADS; t++)
            CHECK(pthread_create(&threads[t], NULL, allocate_and_free, (void *)t) == 0, "no thread");
        pthread_barrier_wait(&phase);
        long peak = resident_kib();
        pthread_barrier_wait(&phase);
        pthread_barrier_wait(&phase);
        long freed = resident_kib();
        nanosleep(&(struct timespec){1, 200000000}, NULL);
        free(malloc(100)); // an allocator that purges only when it is called gets its call
        long idle = resident_kib();
        pthread_barrier_wait(&phase);
        for (int t = 0; t < THREADS; t++)
            pthread_join(threads[t], NULL);
        long ended = resident_kib();
        fprintf(stderr, "report: resident KiB: start %ld, peak %ld, freed %ld, idle %ld, threads ended %ld\n",
                start, peak, freed, idle, ended);
        CHECK(peak - first_start >= THREADS * BYTES_PER_THREAD / 1024 * 9 / 10, "the peak is only %ld KiB",
              peak);
        CHECK(ended <= peak * 5 / 4, "freeing everything made the program larger by %ld KiB", ended - peak);
        pthread_barrier_destroy(&phase);
    }
    return passed();
}
