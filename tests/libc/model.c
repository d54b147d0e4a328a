// Random operations of the whole malloc family against a model that knows, for every block, its size,
// alignment and content. Options: threads=N runs N models at once, which hand blocks to each other, so
// that one thread resizes and frees what another allocated.
#include "check.h"
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 400, EXCHANGE = 64, OPERATIONS = 20000 };

struct block {
    void *start;
    size_t size;
    uint64_t seed;
};

static struct block *_Atomic exchange[EXCHANGE];
static int operations;

static void check_block(const struct block *block) {
    CHECK_PATTERN(block->start, block->size, block->seed, "model");
    size_t usable = malloc_usable_size(block->start);
    CHECK(usable >= block->size, "malloc_usable_size says %zu for a block of %zu bytes", usable, block->size);
}

static void adopt(struct block *block, void *start, size_t size, size_t alignment, uint64_t seed) {
    CHECK(start != NULL, "no memory for %zu bytes, alignment %zu", size, alignment);
    CHECK(is_aligned(start, alignment), "%p is not aligned to %zu (size %zu)", start, alignment, size);
    *block = (struct block){start, size, seed};
    pattern_fill(start, size, seed);
}

static void allocate(struct block *block, uint64_t *random) {
    size_t size = random_size(random);
    size_t alignment = (size_t)1 << random_below(random, 13);
    size_t pointer_alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    void *start = NULL;
    switch (random_below(random, 8)) {
    case 0:
        start = calloc(size / 8 + 1, 8);
        size = (size / 8 + 1) * 8;
        CHECK(start == NULL || all_zero(start, size), "calloc of %zu bytes is not zero", size);
        alignment = required_alignment(size);
        break;
    case 1:
        start = aligned_alloc(alignment, size);
        break;
    case 2:
        alignment = pointer_alignment;
        CHECK(posix_memalign(&start, alignment, size) == 0, "posix_memalign(%zu, %zu) failed", alignment,
              size);
        break;
    case 3:
        start = memalign(alignment, size);
        break;
    case 4:
        start = realloc(NULL, size);
        alignment = required_alignment(size);
        break;
    default:
        start = malloc(size);
        alignment = required_alignment(size);
    }
    adopt(block, start, size, alignment, random_next(random));
}

static void resize(struct block *block, uint64_t *random) {
    size_t size = random_size(random) + 1;
    size_t kept = size < block->size ? size : block->size;
    void *start;
    if (random_below(random, 4) == 0) {
        size = (size + 15) / 16 * 16;
        kept = size < block->size ? size : block->size;
        start = reallocarray(block->start, size / 16, 16);
    } else {
        start = realloc(block->start, size);
    }
    CHECK(start != NULL, "no memory to resize %zu to %zu bytes", block->size, size);
    // A cut pattern ends in the middle of a word, which pattern_broken_at allows for.
    size_t broken = pattern_broken_at(start, kept, block->seed);
    CHECK(broken == kept, "realloc from %zu to %zu bytes lost byte %zu", block->size, size, broken);
    adopt(block, start, size, required_alignment(size), random_next(random));
}

// Leaves the block to anyone who comes next to this place and takes what the last one left there.
static void swap_with_others(struct block *block, uint64_t *random) {
    struct block *parcel = malloc(sizeof *parcel);
    CHECK(parcel != NULL, "no memory for a parcel");
    *parcel = *block;
    struct block *found = atomic_exchange(&exchange[random_below(random, EXCHANGE)], parcel);
    *block = (struct block){0};
    if (found != NULL) {
        *block = *found;
        check_block(block);
        free(found);
    }
}

static void *run_model(void *argument) {
    uint64_t random = 0x1234567 + (uint64_t)(uintptr_t)argument * 7919;
    struct block *slots = calloc(SLOTS, sizeof *slots);
    CHECK(slots != NULL, "no memory for the model");
    for (int i = 0; i < operations; i++) {
        struct block *block = &slots[random_below(&random, SLOTS)];
        if (block->start == NULL) {
            allocate(block, &random);
            continue;
        }
        check_block(block);
        switch (random_below(&random, 8)) {
        case 0:
        case 1:
        case 2:
            resize(block, &random);
            break;
        case 3:
            swap_with_others(block, &random);
            break;
        case 4: {
            // Every usable byte may be written, not only the ones asked for.
            size_t usable = malloc_usable_size(block->start);
            memset(block->start, 0xEE, usable);
            pattern_fill(block->start, block->size, block->seed);
            break;
        }
        default:
            free(block->start);
            *block = (struct block){0};
        }
    }
    for (int i = 0; i < SLOTS; i++) {
        if (slots[i].start != NULL)
            check_block(&slots[i]);
        free(slots[i].start);
    }
    free(slots);
    return NULL;
}

int main(int argc, char **argv) {
    long threads = option_of(argc, argv, "threads", 1);
    operations = OPERATIONS * scale_of(argc, argv) / (int)threads;
    watchdog(300);
    watched_step = "random operations";
    pthread_t others[64];
    CHECK(threads >= 1 && threads <= 64, "threads must lie between 1 and 64");
    for (long i = 1; i < threads; i++)
        CHECK(pthread_create(&others[i], NULL, run_model, (void *)(uintptr_t)i) == 0, "no thread %ld", i);
    run_model(NULL);
    for (long i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    for (int i = 0; i < EXCHANGE; i++) {
        if (exchange[i] == NULL)
            continue;
        check_block(exchange[i]);
        free(exchange[i]->start);
        free(exchange[i]);
    }
    return passed();
}
