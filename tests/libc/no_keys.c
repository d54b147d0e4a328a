// The program has taken every key that a thread can have data for: a heap cannot hear of a thread's end then, and
// allocates and frees all the same, small blocks and medium ones.
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, BLOCKS = 200, STEP = 60 };

static void *allocate_and_free(void *argument) {
    int rounds = *(const int *)argument;
    unsigned char *blocks[BLOCKS];
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < BLOCKS; i++) {
            blocks[i] = malloc(16 + i * STEP);
            CHECK(blocks[i] != NULL, "no memory for %zu bytes", 16 + i * STEP);
            pattern_fill(blocks[i], 16 + i * STEP, i);
        }
        for (size_t i = 0; i < BLOCKS; i++) {
            CHECK_PATTERN(blocks[i], 16 + i * STEP, i, "a block without keys");
            free(blocks[i]);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    int rounds = 20 * scale_of(argc, argv);
    watchdog(60);
    pthread_key_t key;
    int keys = 0;
    while (pthread_key_create(&key, NULL) == 0)
        keys++;
    CHECK(keys > 0, "no key to be had");
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, allocate_and_free, &rounds) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0, "a thread is lost");
    allocate_and_free(&rounds);
    puts("ok");
    return 0;
}
