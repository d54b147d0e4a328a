// The heap works from the first constructor on, before main and before the allocator's own constructor (if
// it has one) has run; also with a thread and a fork in a constructor, and until the last destructor.
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>

enum { BLOCKS = 200 };

static void *from_first[BLOCKS], *from_plain[BLOCKS];
static int constructors_run;

static void allocate(void *blocks[], uint64_t seed) {
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t size = i * 37 % 5000 + (i == 150 ? 2000000 : 0);
        blocks[i] = i % 2 ? malloc(size) : aligned_alloc(64, size);
        CHECK(blocks[i] != NULL, "no memory for %zu bytes before main", size);
        pattern_fill(blocks[i], size, seed + i);
    }
}

static void check_and_free(void *blocks[], uint64_t seed) {
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t size = i * 37 % 5000 + (i == 150 ? 2000000 : 0);
        CHECK_PATTERN(blocks[i], size, seed + i, "a block from before main");
        free(blocks[i]);
    }
}

static void *allocate_in_thread(void *unused) {
    (void)unused;
    void *blocks[BLOCKS];
    allocate(blocks, 7);
    check_and_free(blocks, 7);
    return malloc(123);
}

static void exit_handler(void) {
    free(malloc(70000));
}

// The smallest number that programs may use; an allocator's own constructor runs at the same time or later.
__attribute__((constructor(101))) static void first(void) {
    watchdog(60);
    watched_step = "the first constructor";
    constructors_run++;
    allocate(from_first, 1);
    CHECK(setenv("BRAWN_CONSTRUCTOR", "first", 1) == 0, "setenv failed before main");
    for (int i = 0; i < 40; i++)
        CHECK(atexit(exit_handler) == 0, "atexit failed before main");
}

__attribute__((constructor(102))) static void with_a_thread(void) {
    watched_step = "a thread in a constructor";
    constructors_run++;
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, allocate_in_thread, NULL) == 0, "no thread before main");
    pthread_join(thread, &result);
    CHECK(result != NULL, "the thread had no memory");
    free(result);
}

__attribute__((constructor)) static void plain(void) {
    watched_step = "a fork in a constructor";
    constructors_run++;
    pid_t child = fork();
    CHECK(child >= 0, "fork failed before main");
    if (child == 0) {
        watchdog(20);
        allocate(from_plain, 2);
        check_and_free(from_plain, 2);
        check_and_free(from_first, 1);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ended with status 0x%x", status);
    allocate(from_plain, 2);
}

__attribute__((destructor(101))) static void last(void) {
    void *blocks[BLOCKS];
    allocate(blocks, 3);
    check_and_free(blocks, 3);
    check_and_free(from_plain, 2);
    passed();
}

int main(void) {
    watched_step = "main";
    CHECK(constructors_run == 3, "%d constructors ran instead of 3", constructors_run);
    const char *value = getenv("BRAWN_CONSTRUCTOR");
    CHECK(value != NULL && strcmp(value, "first") == 0, "the environment of the constructor is lost");
    check_and_free(from_first, 1);
    return 0;
}
