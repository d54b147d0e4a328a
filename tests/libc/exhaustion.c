// Under RLIMIT_AS memory ends: every function of the family then answers NULL and ENOMEM, nothing that was
// allocated is damaged, the program goes on, and what it frees can be had again. Options: threads=N (then N
// threads run dry at once), limit-mib=N above what the program has at the start, usable-percent=N of it
// that a program must get, again-percent=N of that which it must get again in blocks of another size.
#include "check.h"
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

enum { CHUNK = 64 * 1024, SMALL = 48, MAX_THREADS = 64 };

// A list inside the blocks themselves: counting them needs no further memory.
struct link {
    struct link *next;
    size_t size;
};

static pthread_barrier_t together;
static size_t limit_bytes;
static long usable_percent, again_percent;

static void allow(size_t more) {
    static rlim_t at_first; // later the program's size holds what its heap keeps
    if (at_first == 0)
        at_first = (rlim_t)status_kib("VmSize:") * 1024;
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0, "getrlimit failed");
    limit.rlim_cur = more == SIZE_MAX ? limit.rlim_max : at_first + more;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit failed");
}

// Allocates until nothing is left; answers how many bytes that were.
static size_t exhaust(struct link **list, size_t size) {
    size_t total = 0;
    for (;;) {
        errno = 0;
        struct link *link = malloc(size);
        if (link == NULL) {
            CHECK(errno == ENOMEM, "malloc(%zu) gave NULL with errno %d", size, errno);
            return total;
        }
        link->next = *list;
        link->size = size;
        pattern_fill(link + 1, size - sizeof *link, (uint64_t)(uintptr_t)link);
        *list = link;
        total += size;
        CHECK(total <= limit_bytes * 2, "more memory than the limit allows: %zu bytes", total);
    }
}

static void release(struct link **list) {
    while (*list != NULL) {
        struct link *link = *list;
        CHECK_PATTERN(link + 1, link->size - sizeof *link, (uint64_t)(uintptr_t)link, "exhaustion");
        *list = link->next;
        free(link);
    }
}

#define CHECK_NO_MEMORY(expression)                                                                          \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        void *got_ = (expression);                                                                           \
        CHECK(got_ == NULL && errno == ENOMEM, "%s gave %p, errno %d", #expression, got_, errno);            \
    } while (0)

static void *never_runs(void *unused) {
    return unused;
}

static void everything_fails(struct link *kept) {
    size_t far_too_large = limit_bytes * 2;
    CHECK_NO_MEMORY(malloc(far_too_large));
    CHECK_NO_MEMORY(calloc(1, far_too_large));
    CHECK_NO_MEMORY(realloc(kept, far_too_large));
    CHECK_NO_MEMORY(reallocarray(kept, far_too_large / 16, 16));
    CHECK_NO_MEMORY(aligned_alloc(4096, far_too_large));
    CHECK_NO_MEMORY(memalign(64, far_too_large));
    void *unchanged = kept;
    errno = 0;
    CHECK(posix_memalign(&unchanged, 64, far_too_large) == ENOMEM && unchanged == kept && errno == ENOMEM,
          "posix_memalign");
    CHECK_PATTERN(kept + 1, kept->size - sizeof *kept, (uint64_t)(uintptr_t)kept, "after a failed realloc");
    // Inside libc as well: it reports the failure instead of crashing.
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, far_too_large) == 0, "no such stack size");
    int code = pthread_create(&thread, &attributes, never_runs, NULL);
    CHECK(code == EAGAIN, "pthread_create with a huge stack answers %d", code);
}

// A thread that exists, but has never allocated before memory ended, has no heap of its own yet. One that has
// allocated has one in which nothing is left: what others freed must reach it.
static void *allocates_late(void *early) {
    if (early != NULL)
        free(malloc(100));
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    errno = 0;
    void *large = malloc(limit_bytes * 2);
    CHECK(large == NULL && errno == ENOMEM, "a late thread's large malloc gave %p, errno %d", large, errno);
    errno = 0;
    void *block = malloc(100);
    CHECK(block != NULL || errno == ENOMEM, "a late thread's small malloc gave NULL, errno %d", errno);
    free(block);
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    block = malloc(limit_bytes / 8); // more than a heap of its own has at first
    CHECK(block != NULL, "no memory for a thread that %s before, after the rest was freed",
          early != NULL ? "had allocated" : "had not allocated");
    memset(block, 1, limit_bytes / 8);
    free(block);
    return NULL;
}

static void in_one_thread(void) {
    pthread_t late[2];
    allow(limit_bytes);
    CHECK(pthread_barrier_init(&together, NULL, 3) == 0, "no barrier");
    for (int early = 0; early < 2; early++)
        CHECK(pthread_create(&late[early], NULL, allocates_late, early ? late : NULL) == 0, "no thread");
    pthread_barrier_wait(&together);
    struct link *large = NULL, *small = NULL;
    watched_step = "exhaust";
    size_t first_total = exhaust(&large, CHUNK) + exhaust(&small, SMALL);
    CHECK(first_total >= limit_bytes / 100 * (size_t)usable_percent, "only %zu of %zu bytes could be had",
          first_total, limit_bytes);
    watched_step = "everything fails";
    everything_fails(large);
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    watched_step = "free and use again";
    release(&small);
    release(&large);
    pthread_barrier_wait(&together);
    for (int early = 0; early < 2; early++)
        pthread_join(late[early], NULL);
    for (int round = 0; round < 2; round++) {
        size_t again = exhaust(&large, round == 0 ? SMALL : CHUNK);
        // Of small blocks fewer bytes fit: each has room for its own bookkeeping and 16 for the list.
        CHECK(again >= first_total / 100 * (size_t)again_percent,
              "round %d: only %zu of the %zu bytes came back", round, again, first_total);
        release(&large);
    }
    pthread_barrier_destroy(&together);
}

static void *run_dry(void *argument) {
    struct link *list = NULL;
    int rounds = *(int *)argument;
    for (int round = 0; round < rounds; round++) {
        pthread_barrier_wait(&together);
        exhaust(&list, CHUNK);
        exhaust(&list, 3000);
        exhaust(&list, SMALL);
        pthread_barrier_wait(&together);
        release(&list);
        pthread_barrier_wait(&together);
        char *block = malloc(100000);
        CHECK(block != NULL, "round %d: no memory after all threads freed theirs", round);
        memset(block, 1, 100000);
        free(block);
    }
    return NULL;
}

static void in_many_threads(int threads, int rounds) {
    pthread_t running[MAX_THREADS];
    CHECK(threads <= MAX_THREADS, "at most %d threads", MAX_THREADS);
    CHECK(pthread_barrier_init(&together, NULL, (unsigned)threads) == 0, "no barrier");
    for (int t = 0; t < threads; t++) {
        CHECK(pthread_create(&running[t], NULL, run_dry, &rounds) == 0, "no thread");
        // The last thread is the last one that the barrier waits for: the limit holds before work begins.
        if (t == threads - 2)
            allow(limit_bytes + 1024 * 1024);
    }
    watched_step = "threads run dry";
    for (int t = 0; t < threads; t++)
        pthread_join(running[t], NULL);
    pthread_barrier_destroy(&together);
}

int main(int argc, char **argv) {
    int scale = scale_of(argc, argv), threads = (int)option_of(argc, argv, "threads", 1);
    limit_bytes = (size_t)option_of(argc, argv, "limit-mib", 32) * 1024 * 1024;
    usable_percent = option_of(argc, argv, "usable-percent", 75);
    again_percent = option_of(argc, argv, "again-percent", 50);
    watchdog(240);
    if (threads == 1)
        for (int i = 0; i < scale; i++) {
            in_one_thread();
            allow(SIZE_MAX);
        }
    else
        in_many_threads(threads, 3 * scale);
    allow(SIZE_MAX);
    char *block = malloc(limit_bytes * 2);
    CHECK(block != NULL, "no memory without the limit");
    block[0] = block[limit_bytes * 2 - 1] = 1;
    free(block);
    return passed();
}
