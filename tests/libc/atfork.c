// pthread_atfork handlers that allocate and free, before the fork, in the parent and in the child, while
// other threads are busy: the libc must take the allocator's locks after the first handler and give them
// back before the last ones.
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { HANDLERS = 20, FORKS = 40, BUSY = 3 };

static atomic_bool stop;
static atomic_int prepared, in_parent, in_child;
static char *kept;

static void churn(void) {
    for (size_t size = 1; size < 2000000; size = size * 3 + 7) {
        char *block = malloc(size);
        CHECK(block != NULL, "no memory for %zu bytes in a handler", size);
        block[0] = block[size - 1] = 1;
        free(block);
    }
    char *next = strdup("handler");
    CHECK(next != NULL, "strdup failed in a handler");
    free(kept);
    kept = next;
}

static void prepare(void) {
    churn();
    atomic_fetch_add(&prepared, 1);
}

static void parent(void) {
    churn();
    atomic_fetch_add(&in_parent, 1);
}

static void child(void) {
    // The parent's alarm is not inherited, and fork has not even returned yet.
    watchdog(20);
    watched_step = "handler in the child";
    churn();
    atomic_fetch_add(&in_child, 1);
}

static void *keep_busy(void *argument) {
    uint64_t random = 3 + (uint64_t)(uintptr_t)argument;
    while (!atomic_load(&stop))
        free(malloc(random_size(&random)));
    return NULL;
}

int main(int argc, char **argv) {
    int forks = FORKS * scale_of(argc, argv);
    watchdog(100);
    watched_step = "register";
    for (int i = 0; i < HANDLERS; i++)
        CHECK(pthread_atfork(prepare, parent, child) == 0, "no handler %d", i);
    pthread_t threads[BUSY];
    for (uintptr_t t = 0; t < BUSY; t++)
        CHECK(pthread_create(&threads[t], NULL, keep_busy, (void *)t) == 0, "no thread");
    for (int n = 0; n < forks; n++) {
        watched_round = n;
        watched_step = "fork with handlers";
        pid_t pid = fork();
        CHECK(pid >= 0, "fork %d failed", n);
        if (pid == 0) {
            watched_step = "child";
            CHECK(in_child == HANDLERS, "%d handlers ran in the child", in_child);
            churn();
            _exit(0);
        }
        int status;
        CHECK(waitpid(pid, &status, 0) == pid && status == 0, "child %d ended with status 0x%x", n, status);
    }
    CHECK(prepared == HANDLERS * forks, "%d prepare handlers ran instead of %d", prepared, HANDLERS * forks);
    CHECK(in_parent == HANDLERS * forks, "%d parent handlers ran instead of %d", in_parent, HANDLERS * forks);
    atomic_store(&stop, true);
    for (int t = 0; t < BUSY; t++)
        pthread_join(threads[t], NULL);
    free(kept);
    return passed();
}
