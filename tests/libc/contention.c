// Many threads allocate and free as fast as they can, their own blocks and each other's, with no more
// checking than a mark at both ends: two owners of one block meet within a moment.
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8, OPERATIONS = 200000, OWN = 16, SHARED = 64 };

struct block {
    uint64_t mark;
    size_t words; // the mark stands in the last word as well
};

static struct block *_Atomic shared[SHARED];
static pthread_barrier_t together;
static long operations;

static struct block *make_block(uint64_t *random) {
    size_t words = 3 + random_below(random, 30);
    struct block *block = malloc(words * 8);
    CHECK(block != NULL, "no memory for %zu bytes", words * 8);
    uint64_t mark = random_next(random);
    *block = (struct block){mark, words};
    ((uint64_t *)block)[words - 1] = mark;
    return block;
}

static void end_block(struct block *block) {
    if (block == NULL)
        return;
    CHECK(block->words >= 3 && block->words < 33, "block %p says that it has %zu words", (void *)block,
          block->words);
    uint64_t last = ((uint64_t *)block)[block->words - 1];
    CHECK(last == block->mark, "block %p of %zu words has two owners", (void *)block, block->words);
    // Anyone who has it too will see this.
    block->mark = 0;
    block->words = 0;
    free(block);
}

static void *work(void *argument) {
    uint64_t random = 23 + (uint64_t)(uintptr_t)argument;
    struct block *own[OWN] = {0};
    pthread_barrier_wait(&together);
    for (long i = 0; i < operations; i++) {
        struct block **place = &own[i % OWN];
        end_block(*place);
        *place = make_block(&random);
        if (i % 4 == 0)
            *place = atomic_exchange(&shared[random_below(&random, SHARED)], *place);
    }
    for (int i = 0; i < OWN; i++)
        end_block(own[i]);
    return NULL;
}

int main(int argc, char **argv) {
    int threads = (int)option_of(argc, argv, "threads", THREADS);
    operations = option_of(argc, argv, "operations", OPERATIONS) * scale_of(argc, argv);
    watchdog(300);
    watched_step = "contention";
    pthread_t running[64];
    CHECK(threads >= 1 && threads <= 64, "threads must lie between 1 and 64");
    CHECK(pthread_barrier_init(&together, NULL, (unsigned)threads) == 0, "no barrier");
    for (uintptr_t t = 0; t < (uintptr_t)threads; t++)
        CHECK(pthread_create(&running[t], NULL, work, (void *)t) == 0, "no thread");
    for (int t = 0; t < threads; t++)
        pthread_join(running[t], NULL);
    for (int i = 0; i < SHARED; i++)
        end_block(shared[i]);
    return passed();
}
