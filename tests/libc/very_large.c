// Very large blocks, which may have mappings of their own, grow and shrink in several threads and in children of
// fork: a word in each page tells whether all went along.
#include "check.h"
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void mark(unsigned char *block, size_t from, size_t to, uint64_t seed) {
    for (size_t at = from; at + sizeof seed <= to; at += PAGE)
        *(uint64_t *)(block + at) = pattern_word(seed, at);
}

static void check_marks(const unsigned char *block, size_t to, uint64_t seed) {
    for (size_t at = 0; at + sizeof seed <= to; at += PAGE)
        CHECK(*(const uint64_t *)(block + at) == pattern_word(seed, at), "byte %zu of %zu is damaged", at,
              to);
}

static void *very_large(void *argument) {
    uint64_t seed = (uintptr_t)argument;
    size_t size = (size_t)400 << 10 << 2 * (seed - 1);
    unsigned char *block = malloc(size);
    CHECK(block != NULL, "no memory for %zu bytes", size);
    mark(block, 0, size, seed);
    for (int i = 0; i < 16; i++) {
        // A heap may treat sizes otherwise that come and go all the time.
        for (int often = 0; i == 8 && often < 20; often++) {
            unsigned char *brief = malloc(size);
            CHECK(brief != NULL, "no memory for %zu bytes", size);
            mark(brief, 0, size, seed);
            free(brief);
        }
        // Up to 41 MiB by an eighth, a half or twofold, and back to a few or nearly nothing.
        size_t factor = pattern_word(seed, i) % 3;
        size_t next = size > (size_t)20 << 20 ? (i % 2 ? (size_t)9 << 20 : (size_t)100 << 10)
                                              : size + (size >> (3 - factor)) + PAGE;
        next = next / PAGE * PAGE;
        // The mapping has two parts then.
        if (i % 4 == 3)
            (void)mlock(block + size / PAGE / 2 * PAGE, PAGE);
        unsigned char *moved = realloc(block, next);
        CHECK(moved != NULL, "cannot realloc from %zu to %zu bytes", size, next);
        CHECK(malloc_usable_size(moved) >= next, "%zu bytes have less room", next);
        check_marks(moved, size < next ? size : next, seed);
        mark(moved, size < next ? size : 0, next, seed);
        block = moved;
        size = next;
    }
    pid_t child = fork();
    CHECK(child >= 0, "cannot fork");
    unsigned char *moved = realloc(block, size * 2);
    if (child == 0 && moved == NULL)
        _exit(1);
    CHECK(moved != NULL, "cannot realloc to %zu bytes", size * 2);
    check_marks(moved, size, seed);
    free(moved);
    if (child == 0)
        _exit(0);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ended with status %#x", status);
    return NULL;
}

static void very_large_in_threads(void) {
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, very_large, (void *)(uintptr_t)(t + 1)) == 0, "no thread");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}

int main(int argc, char **argv) {
    int scale = scale_of(argc, argv);
    watchdog(300);
    for (int round = 0; round < scale; round++)
        very_large_in_threads();
    return passed();
}
