// Threads other than the first one fork, at the same time, and their children fork again: in the child
// the thread that forked is the only one, and its heap is the one that it had as a thread.
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>

enum { THREADS = 4, FORKS = 12 };

static int forks;

static void allocate_much(void) {
    void *blocks[100];
    for (size_t i = 0; i < 100; i++) {
        blocks[i] = calloc(1, i * i * 5);
        CHECK(blocks[i] != NULL, "no memory for %zu bytes", i * i * 5);
    }
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
}

static void wait_for(pid_t child, const char *who) {
    int status;
    CHECK(child > 0, "%s: fork failed", who);
    CHECK(waitpid(child, &status, 0) == child, "%s: waitpid failed", who);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s ended with status 0x%x", who, status);
}

static void *fork_often(void *argument) {
    uint64_t random = 5 + (uint64_t)(uintptr_t)argument;
    for (int n = 0; n < forks; n++) {
        size_t size = random_size(&random);
        void *mine = malloc(size);
        CHECK(mine != NULL, "no memory for %zu bytes", size);
        pattern_fill(mine, size, (uint64_t)n);
        pid_t child = fork();
        if (child == 0) {
            watchdog(20);
            watched_step = "child of a thread";
            watched_round = n;
            CHECK_PATTERN(mine, size, (uint64_t)n, "child of a thread");
            allocate_much();
            pid_t grandchild = fork();
            if (grandchild == 0) {
                watchdog(20);
                watched_step = "grandchild";
                CHECK_PATTERN(mine, size, (uint64_t)n, "grandchild");
                free(mine);
                allocate_much();
                _exit(0);
            }
            wait_for(grandchild, "grandchild");
            free(mine);
            allocate_much();
            // The thread that forked is the child's main thread now; exit() runs its handlers there.
            exit(0);
        }
        allocate_much();
        wait_for(child, "child of a thread");
        free(mine);
    }
    return NULL;
}

int main(int argc, char **argv) {
    forks = FORKS * scale_of(argc, argv);
    watchdog(100);
    watched_step = "threads that fork";
    pthread_t threads[THREADS];
    for (uintptr_t t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, fork_often, (void *)t) == 0, "no thread");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return passed();
}
