// Large blocks: growing and shrinking by realloc keeps the content (mremap, in-place growth and copies),
// sizes around the page and huge-page boundaries, and the memory goes back to the system.
#include "check.h"
#include <malloc.h>

static void grow_and_shrink(void) {
    size_t size = 100;
    unsigned char *block = malloc(size);
    CHECK(block != NULL, "no memory for %zu bytes", size);
    pattern_fill(block, size, 9);
    for (int direction = 0; direction < 2; direction++)
        while (direction == 0 ? size < 12000000 : size > 100) {
            size_t next = direction == 0 ? size * 7 / 4 : size * 4 / 7;
            size_t kept = next < size ? next : size;
            unsigned char *moved = realloc(block, next);
            CHECK(moved != NULL, "cannot realloc from %zu to %zu bytes", size, next);
            CHECK_PATTERN(moved, kept, 9, "realloc of a large block");
            block = moved;
            size = next;
            pattern_fill(block, size, 9);
        }
    free(block);
}

// A vector that grows by one element at a time, beside others that are in its way.
static void growing_vectors(void) {
    enum { VECTORS = 4, LENGTH = 2000 };
    uint64_t *vectors[VECTORS] = {0};
    for (size_t length = 1; length <= LENGTH; length++)
        for (size_t v = 0; v < VECTORS; v++) {
            vectors[v] = reallocarray(vectors[v], length, sizeof *vectors[v]);
            CHECK(vectors[v] != NULL, "no memory for %zu elements", length);
            vectors[v][length - 1] = pattern_word(v, length);
        }
    for (size_t v = 0; v < VECTORS; v++) {
        for (size_t i = 1; i <= LENGTH; i++)
            CHECK(vectors[v][i - 1] == pattern_word(v, i), "element %zu of vector %zu is damaged", i, v);
        free(vectors[v]);
    }
}

// Large blocks that grow and shrink by little: in place, with room ahead, or moved.
static void by_steps(void) {
    enum { BLOCKS = 2, STEP = 24000, STEPS = 120 };
    unsigned char *blocks[BLOCKS] = {0};
    for (int direction = 1; direction >= -1; direction -= 2)
        for (int i = 0; i < STEPS; i++)
            for (int b = 0; b < BLOCKS; b++) {
                int steps = direction > 0 ? i + 1 : STEPS - i;
                unsigned char *moved = realloc(blocks[b], (size_t)steps * STEP);
                CHECK(moved != NULL, "cannot realloc to %d steps", steps);
                CHECK(malloc_usable_size(moved) >= (size_t)steps * STEP, "%d steps have less room", steps);
                blocks[b] = moved;
                if (direction > 0)
                    pattern_fill(moved + (size_t)i * STEP, STEP, (uint64_t)i * BLOCKS + b);
                for (int step = steps - 1; step >= 0; step -= 31)
                    CHECK_PATTERN(moved + (size_t)step * STEP, STEP, (uint64_t)step * BLOCKS + b,
                                  "growth by steps");
            }
    for (int b = 0; b < BLOCKS; b++)
        free(blocks[b]);
}

static void around_boundaries(void) {
    static const size_t boundaries[] = {4096,   16384,   65536,   131052,  131072,
                                        262144, 1048576, 2097152, 4194304, 33554432};
    for (size_t b = 0; b < sizeof boundaries / sizeof *boundaries; b++)
        for (size_t size = boundaries[b] - 40; size <= boundaries[b] + 40; size += 8) {
            unsigned char *first = malloc(size), *second = malloc(size);
            CHECK(first != NULL && second != NULL, "no memory for twice %zu bytes", size);
            first[0] = first[size - 1] = 1;
            second[0] = second[size - 1] = 2;
            CHECK(first[0] == 1 && first[size - 1] == 1, "two blocks of %zu bytes overlap", size);
            free(first);
            CHECK(second[0] == 2 && second[size - 1] == 2, "free damaged the other block of %zu bytes", size);
            free(second);
        }
}

static void returned_to_the_system(int rounds, long allowed_kib) {
    enum { BLOCKS = 8, SIZE = 2 * 1024 * 1024 };
    struct growth growth = {0};
    for (int round = 0; round < rounds; round++) {
        char *blocks[BLOCKS];
        for (int i = 0; i < BLOCKS; i++) {
            blocks[i] = malloc(SIZE + (size_t)round * 4096);
            CHECK(blocks[i] != NULL, "no memory for 2 MiB");
            memset(blocks[i], 1, SIZE);
        }
        for (int i = 0; i < BLOCKS; i++)
            free(blocks[i]);
        growth_sample(&growth, round, rounds);
    }
    CHECK_GROWTH(growth, allowed_kib, "16 MiB allocated and freed over and over");
}

int main(int argc, char **argv) {
    int scale = scale_of(argc, argv);
    watchdog(300);
    for (int round = 0; round < scale; round++) {
        watched_step = "grow and shrink";
        grow_and_shrink();
        watched_step = "growing vectors";
        growing_vectors();
        watched_step = "by steps";
        by_steps();
        watched_step = "around boundaries";
        around_boundaries();
    }
    watched_step = "returned to the system";
    returned_to_the_system(9 * scale, option_of(argc, argv, "growth-kib", 8192));
    return passed();
}
