// The program ends while its threads allocate and free, by return, exit, quick_exit or pthread_exit of the
// main thread: it neither hangs nor crashes, and handlers still have a heap. Option: way=N ends this very
// process in one of these ways, without a fork (musl before 1.2.4 hangs when the main thread of a forked
// child ends before the others, whatever the allocator).
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { CHILDREN = 40, BUSY = 4 };

enum { BY_EXIT, BY_QUICK_EXIT, BY_PTHREAD_EXIT };

static const char *const steps[] = {"exit", "quick_exit", "pthread_exit"};
static char *from_main;
static atomic_int started;

static void *keep_busy(void *argument) {
    uint64_t random = 11 + (uint64_t)(uintptr_t)argument;
    void *blocks[20] = {0};
    for (;;) {
        size_t i = random_below(&random, 20);
        free(blocks[i]);
        blocks[i] = malloc(random_size(&random));
        CHECK(blocks[i] != NULL, "no memory in a busy thread");
        atomic_fetch_or(&started, 1 << (uintptr_t)argument);
    }
    return NULL;
}

static void handler(void) {
    for (int i = 0; i < 200; i++)
        free(malloc((size_t)i * 100));
}

// Outlives the main thread and ends the process.
static void *outlive_main(void *argument) {
    pthread_join(*(pthread_t *)argument, NULL);
    CHECK(strcmp(from_main, "left by main") == 0, "main's block is damaged after its thread ended");
    from_main = realloc(from_main, 100000);
    CHECK(from_main != NULL, "cannot resize main's block");
    free(from_main);
    passed();
    exit(0);
}

static void end_as(int way) {
    pthread_t threads[BUSY], survivor, self = pthread_self();
    CHECK(atexit(handler) == 0 && at_quick_exit(handler) == 0, "no handler");
    from_main = strdup("left by main");
    for (uintptr_t t = 0; t < BUSY; t++)
        CHECK(pthread_create(&threads[t], NULL, keep_busy, (void *)t) == 0, "no thread");
    while (atomic_load(&started) != (1 << BUSY) - 1)
        free(malloc(64));
    if (way == BY_EXIT)
        exit(0);
    if (way == BY_QUICK_EXIT)
        quick_exit(0);
    CHECK(pthread_create(&survivor, NULL, outlive_main, &self) == 0, "no thread");
    pthread_exit(NULL);
}

int main(int argc, char **argv) {
    int children = (int)option_of(argc, argv, "children", CHILDREN) * scale_of(argc, argv);
    long way = option_of(argc, argv, "way", -1);
    watchdog(100);
    if (way >= BY_EXIT && way <= BY_PTHREAD_EXIT) {
        watched_step = steps[way];
        end_as((int)way);
    }
    for (int n = 0; n < children; n++) {
        watched_round = n;
        watched_step = "wait for the child";
        pid_t child = fork();
        CHECK(child >= 0, "fork failed");
        if (child == 0) {
            watchdog(20);
            watched_step = steps[n % 2];
            end_as(n % 2);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child, "waitpid failed");
        CHECK(status == 0, "child %d (%s) ended with status 0x%x", n, steps[n % 2], status);
    }
    return passed();
}
