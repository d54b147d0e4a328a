// calloc gives zeros also where the memory was dirty before: allocators skip the clearing of pages that
// they believe to be fresh from the kernel. All sizes, one thread's dirt and another's, and after realloc.
#include "check.h"
#include <pthread.h>

enum { BLOCKS = 32, LARGEST = 3 * 1024 * 1024 };

static size_t next_size(size_t size) {
    return size < 40 ? size + 1 : size + size / 3 + 5;
}

static int blocks_of(size_t size) {
    return size < 2048 ? BLOCKS : size < 100000 ? 8 : 2;
}

static void dirty(size_t size) {
    void *blocks[BLOCKS];
    int count = blocks_of(size);
    for (int i = 0; i < count; i++) {
        blocks[i] = malloc(size);
        CHECK(blocks[i] != NULL, "no memory for %zu bytes", size);
        memset(blocks[i], 0xFF, size);
    }
    for (int i = 0; i < count; i++)
        free(blocks[(i * 5 + 3) % count]);
}

static void expect_zero(size_t size) {
    unsigned char *blocks[BLOCKS];
    int count = blocks_of(size);
    for (int i = 0; i < count; i++) {
        blocks[i] = i % 2 ? calloc(1, size) : calloc(size, 1);
        CHECK(blocks[i] != NULL, "no memory for %zu bytes", size);
        CHECK(all_zero(blocks[i], size), "calloc of %zu bytes is not zero", size);
        memset(blocks[i], 0xFF, size);
    }
    for (int i = 0; i < count; i++)
        free(blocks[i]);
}

static void *dirty_everything(void *unused) {
    (void)unused;
    for (size_t size = 1; size <= LARGEST; size = next_size(size))
        dirty(size);
    return NULL;
}

int main(int argc, char **argv) {
    int scale = scale_of(argc, argv);
    watchdog(300);
    for (int round = 0; round < scale; round++) {
        watched_round = round;
        watched_step = "dirt of the same thread";
        for (size_t size = 1; size <= LARGEST; size = next_size(size)) {
            dirty(size);
            expect_zero(size);
        }
        watched_step = "dirt of a thread that has ended";
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, dirty_everything, NULL) == 0, "no thread");
        pthread_join(thread, NULL);
        for (size_t size = 1; size <= LARGEST; size = next_size(size))
            expect_zero(size);
        watched_step = "dirt left by realloc";
        for (size_t size = 64; size <= LARGEST; size = next_size(size)) {
            char *block = calloc(1, size);
            CHECK(block != NULL, "no memory for %zu bytes", size);
            memset(block, 0xFF, size);
            block = realloc(block, size / 3);
            CHECK(block != NULL, "cannot shrink %zu bytes", size);
            expect_zero(size - size / 3);
            free(block);
            expect_zero(size);
        }
    }
    return passed();
}
