// Sixty-four threads under a limit on address space that what they hold would never reach: a heap may run
// into it nevertheless, if it reserves much for each thread. Then malloc answers NULL and ENOMEM, and nothing
// else happens: no block is damaged, and the program goes on. Reports how much was in use at the first NULL.
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

enum { THREADS = 64, BLOCKS = 400, OPERATIONS = 10000 };

static atomic_long in_use, refused, in_use_at_first = -1;
static int operations;
static pthread_barrier_t together;

static void *work(void *argument) {
    struct {
        void *start;
        size_t size;
    } blocks[BLOCKS] = {{NULL, 0}};
    uint64_t random = 7 + (uint64_t)(uintptr_t)argument;
    pthread_barrier_wait(&together);
    for (int n = 0; n < operations + BLOCKS; n++) {
        // At the end everything goes.
        const size_t at = n < operations ? random_below(&random, BLOCKS) : (size_t)(n - operations);
        if (blocks[at].start != NULL) {
            CHECK_PATTERN(blocks[at].start, blocks[at].size, at, "beside a limit");
            free(blocks[at].start);
            atomic_fetch_sub(&in_use, (long)blocks[at].size);
            blocks[at].start = NULL;
        } else if (n < operations) {
            const size_t size = random_size(&random) / 4 + 1;
            errno = 0;
            blocks[at].start = malloc(size);
            if (blocks[at].start == NULL) {
                CHECK(errno == ENOMEM, "malloc(%zu) gave NULL with errno %d", size, errno);
                long nothing = -1;
                atomic_compare_exchange_strong(&in_use_at_first, &nothing, atomic_load(&in_use));
                atomic_fetch_add(&refused, 1);
                continue;
            }
            blocks[at].size = size;
            pattern_fill(blocks[at].start, size, at);
            atomic_fetch_add(&in_use, (long)size);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    operations = OPERATIONS * scale_of(argc, argv);
    const rlim_t bytes = (rlim_t)option_of(argc, argv, "limit-mib", 1024) << 20;
    watchdog(100);
    watched_step = "threads beside a limit";
    pthread_t threads[THREADS];
    CHECK(pthread_barrier_init(&together, NULL, THREADS + 1) == 0, "no barrier");
    for (uintptr_t t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, work, (void *)t) == 0, "no thread");
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0, "getrlimit failed");
    limit.rlim_cur = bytes;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit failed");
    pthread_barrier_wait(&together);
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_join(threads[t], NULL) == 0, "a thread is lost");
    CHECK(atomic_load(&in_use) == 0, "%ld bytes are still in use", atomic_load(&in_use));
    char text[160];
    const int length =
        snprintf(text, sizeof text, "report: %ld blocks refused, the first with %ld KiB in use\n",
                 atomic_load(&refused), atomic_load(&in_use_at_first) / 1024);
    write_stderr(text, (size_t)length);
    return passed();
}
