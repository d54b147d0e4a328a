// A program with busy threads forks a hundred times, and every child allocates, frees what the parent's
// other threads had allocated, starts a thread of its own and ends. No lock may stay held in the child by a
// thread that does not exist there. A hang is a failure that names the fork.
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { FORKS = 100, BUSY = 4, PUBLISHED = 50, MOVING = 64, CHILD_SECONDS = 20 };

struct published {
    void *block;
    size_t size;
};

static struct published published[BUSY][PUBLISHED];
static void *_Atomic moving[MOVING];
static pthread_barrier_t all_published;
static atomic_bool stop;
static unsigned child_seconds;

// Small, large and aligned work without pause, so that a fork meets the allocator in every state.
static void *keep_busy(void *argument) {
    uintptr_t number = (uintptr_t)argument;
    uint64_t random = 31 + number;
    // On Linux the nice value is the thread's own: on few cores the forking thread gets its turn soon, and
    // the busy ones lose theirs in the middle of whatever they do.
    errno = 0;
    CHECK(nice(10) != -1 || errno == 0, "cannot lower the priority");
    for (int i = 0; i < PUBLISHED; i++) {
        size_t size = i % 10 == 9 ? 200000 : random_below(&random, 3000);
        void *block = malloc(size);
        CHECK(block != NULL, "no memory for %zu bytes", size);
        pattern_fill(block, size, number * 1000 + (uint64_t)i);
        published[number][i] = (struct published){block, size};
    }
    pthread_barrier_wait(&all_published);
    void *blocks[32] = {0};
    while (!atomic_load(&stop)) {
        size_t i = random_below(&random, 32);
        free(blocks[i]);
        blocks[i] = random_below(&random, 40) == 0
                        ? aligned_alloc(256, 65536 * (1 + random_below(&random, 8)))
                        : malloc(random_below(&random, 2000));
        CHECK(blocks[i] != NULL, "no memory in a busy thread");
        blocks[i] = atomic_exchange(&moving[random_below(&random, MOVING)], blocks[i]);
    }
    for (int i = 0; i < 32; i++)
        free(blocks[i]);
    return NULL;
}

static void *allocate_in_new_thread(void *unused) {
    (void)unused;
    for (size_t size = 1; size < 3000000; size = size * 5 + 1) {
        char *block = calloc(1, size);
        CHECK(block != NULL && all_zero(block, size), "a new thread in the child: calloc of %zu bytes", size);
        free(block);
    }
    return NULL;
}

static void live_as_child(int fork_number) {
    watched_round = fork_number;
    watchdog(child_seconds);
    watched_step = "child: allocate small blocks";
    void *small[200];
    for (size_t i = 0; i < 200; i++) {
        small[i] = malloc(i * 13);
        CHECK(small[i] != NULL, "child %d: no memory for %zu bytes", fork_number, i * 13);
        memset(small[i], 1, i * 13);
    }
    watched_step = "child: allocate large blocks";
    for (size_t size = 100000; size < 3000000; size *= 3) {
        char *block = malloc(size);
        CHECK(block != NULL, "child %d: no memory for %zu bytes", fork_number, size);
        block[0] = block[size - 1] = 1;
        free(block);
    }
    watched_step = "child: free blocks of the parent's threads";
    for (uint64_t t = 0; t < BUSY; t++)
        for (uint64_t i = 0; i < PUBLISHED; i++) {
            struct published *p = &published[t][i];
            CHECK_PATTERN(p->block, p->size, t * 1000 + i, "child: a block of the parent");
            if (i % 3 == 0)
                p->block = realloc(p->block, p->size * 2 + 1);
            CHECK(p->block != NULL, "child %d: cannot resize", fork_number);
            free(p->block);
        }
    watched_step = "child: free blocks that were on the move";
    for (int i = 0; i < MOVING; i++)
        free(atomic_exchange(&moving[i], NULL));
    watched_step = "child: a new thread";
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, allocate_in_new_thread, NULL) == 0, "child %d: no thread",
          fork_number);
    pthread_join(thread, NULL);
    watched_step = "child: stdio";
    char *text = NULL;
    CHECK(asprintf(&text, "%d", fork_number) > 0 && atoi(text) == fork_number, "child %d: asprintf",
          fork_number);
    free(text);
    for (int i = 0; i < 200; i++)
        free(small[i]);
    _exit(0);
}

int main(int argc, char **argv) {
    int forks = (int)option_of(argc, argv, "forks", FORKS) * scale_of(argc, argv);
    child_seconds = (unsigned)option_of(argc, argv, "child-seconds", CHILD_SECONDS);
    watchdog(240);
    pthread_t threads[BUSY];
    CHECK(pthread_barrier_init(&all_published, NULL, BUSY + 1) == 0, "no barrier");
    for (uintptr_t t = 0; t < BUSY; t++)
        CHECK(pthread_create(&threads[t], NULL, keep_busy, (void *)t) == 0, "no thread");
    pthread_barrier_wait(&all_published);
    for (int n = 0; n < forks; n++) {
        watched_round = n;
        watched_step = "parent: fork";
        pid_t child = fork();
        CHECK(child >= 0, "fork %d failed", n);
        if (child == 0)
            live_as_child(n);
        watched_step = "parent: allocate after fork";
        free(malloc(100 + (size_t)n));
        watched_step = "parent: wait for the child";
        int status;
        CHECK(waitpid(child, &status, 0) == child, "waitpid failed");
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child of fork %d ended with status 0x%x", n,
              status);
    }
    watched_step = "parent: join";
    atomic_store(&stop, true);
    for (int t = 0; t < BUSY; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < BUSY; t++)
        for (int i = 0; i < PUBLISHED; i++) {
            CHECK_PATTERN(published[t][i].block, published[t][i].size, (uint64_t)(t * 1000 + i), "parent");
            free(published[t][i].block);
        }
    for (int i = 0; i < MOVING; i++)
        free(moving[i]);
    return passed();
}
