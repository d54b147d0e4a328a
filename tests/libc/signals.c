// A storm of signals while threads allocate. The handlers do not allocate (they may not); but they interrupt
// the heap everywhere, also in the middle of a thread's first and last use of it, and every system call of
// it.
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/time.h>

enum { SIGNALS = 1500, INTERVAL_MICROSECONDS = 100, BUSY = 2 };

static atomic_int delivered;
static atomic_bool stop;

static void count_signal(int number) {
    (void)number;
    int saved = errno;
    atomic_fetch_add(&delivered, 1);
    errno = saved;
}

static void *allocate_until_stopped(void *argument) {
    uint64_t random = 41 + (uint64_t)(uintptr_t)argument;
    struct {
        void *start;
        size_t size;
    } blocks[64] = {0};
    while (!atomic_load(&stop)) {
        size_t i = random_below(&random, 64);
        if (blocks[i].start != NULL)
            CHECK_PATTERN(blocks[i].start, blocks[i].size, i, "interrupted");
        blocks[i].size = random_size(&random) + 1;
        blocks[i].start = realloc(blocks[i].start, blocks[i].size);
        CHECK(blocks[i].start != NULL, "no memory between signals");
        pattern_fill(blocks[i].start, blocks[i].size, i);
    }
    for (int i = 0; i < 64; i++)
        free(blocks[i].start);
    return NULL;
}

static void *live_briefly(void *unused) {
    (void)unused;
    free(malloc(500));
    return NULL;
}

int main(int argc, char **argv) {
    int signals = SIGNALS * scale_of(argc, argv);
    // The alarm is the storm itself, so anyone who runs this program must notice a hang.
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0, "sigaction failed");
    pthread_t threads[BUSY];
    for (uintptr_t t = 0; t < BUSY; t++)
        CHECK(pthread_create(&threads[t], NULL, allocate_until_stopped, (void *)t) == 0, "no thread");
    struct itimerval storm = {{0, INTERVAL_MICROSECONDS}, {0, INTERVAL_MICROSECONDS}};
    CHECK(setitimer(ITIMER_REAL, &storm, NULL) == 0, "setitimer failed");
    while (atomic_load(&delivered) < signals) {
        pthread_t brief;
        CHECK(pthread_create(&brief, NULL, live_briefly, NULL) == 0, "no thread");
        for (int i = 0; i < 100; i++)
            free(calloc(1, (size_t)i * 100));
        // The signal goes to any thread, this one as well.
        pthread_kill(threads[0], SIGALRM);
        pthread_join(brief, NULL);
    }
    atomic_store(&stop, true);
    for (int t = 0; t < BUSY; t++)
        pthread_join(threads[t], NULL);
    CHECK(setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL) == 0, "setitimer failed");
    return passed();
}
