/* Real threads of the host, at work on the front together, for the thread sanitizer: allocate, resize, free,
 * hand blocks over, end and begin, trim, look at the figures, and fork in between. The sanitizer sees the
 * front and this file; mallocng behind it is a finished object, whose lock it knows (musl.c). */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

enum { THREADS = 6, SLOTS = 24, EXCHANGE = 16, OPERATIONS = 4000, GENERATIONS = 4, CHUNK = 20 };

struct block {
    unsigned char *start;
    size_t size;
    unsigned char pattern;
};

static struct block *_Atomic exchange[EXCHANGE];

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "FAILED: %s\n", what);
        _exit(1);
    }
}

static uint64_t next(uint64_t *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random >> 16;
}

static size_t size_of(uint64_t *random) {
    switch (next(random) % 8) {
    case 0:
        return next(random) % 20000;
    case 1:
        return 100000 + next(random) % 500000;
    default:
        return next(random) % 1100;
    }
}

/* The first bytes, and one of each page after them. */
static size_t after(size_t at) {
    return at < CHUNK ? at + 1 : at + 4096;
}

static void fill(struct block *block, uint64_t *random) {
    block->pattern = (unsigned char)next(random);
    for (size_t at = 0; at < block->size; at = after(at)) {
        block->start[at] = block->pattern;
    }
}

static void check(const struct block *block, unsigned char pattern, size_t size) {
    for (size_t at = 0; at < size; at = after(at)) {
        require(block->start[at] == pattern, "a block is not what was written to it");
    }
}

static void release(struct block *block) {
    check(block, block->pattern, block->size);
    front_free_(block->start);
    *block = (struct block){0};
}

static void operate(struct block *slots, uint64_t *random) {
    struct block *const block = &slots[next(random) % SLOTS];
    const unsigned kind = (unsigned)(next(random) % 64);
    if (kind == 0) {
        front_trim_(0);
    } else if (kind == 1) {
        front_free_(front_libc_malloc_(size_of(random)));
    } else if (block->start == NULL) {
        block->size = size_of(random) + 1;
        block->start = kind % 8 == 2   ? front_aligned_alloc_((size_t)16 << kind % 5, block->size)
                       : kind % 8 == 3 ? front_calloc_(1, block->size)
                                       : front_malloc_(block->size);
        require(block->start != NULL, "no memory");
        check(block, 0, kind % 8 == 3 ? block->size : 0);
        fill(block, random);
    } else if (kind % 4 == 0) {
        const size_t before = block->size;
        check(block, block->pattern, before);
        block->size = size_of(random) + 1;
        block->start = front_realloc_(block->start, block->size);
        require(block->start != NULL, "no memory to resize");
        check(block, block->pattern, block->size < before ? block->size : before);
        fill(block, random);
    } else if (kind % 4 == 1) {
        struct block *const parcel = front_malloc_(sizeof *parcel);
        *parcel = *block;
        struct block *const found = atomic_exchange(&exchange[next(random) % EXCHANGE], parcel);
        *block = (struct block){0};
        if (found != NULL) {
            *block = *found;
            front_free_(found);
        }
    } else {
        release(block);
    }
}

static void *work(void *argument) {
    struct block slots[SLOTS] = {{0}};
    uint64_t random = 0x9e3779b97f4a7c15 * (1 + (uintptr_t)argument);
    for (int at = 0; at < OPERATIONS; at++) {
        operate(slots, &random);
    }
    for (int at = 0; at < SLOTS; at++) {
        if (slots[at].start != NULL) {
            release(&slots[at]);
        }
    }
    return NULL;
}

int main(void) {
    host_start();
    host_threads(THREADS + 1);
    for (int generation = 0; generation < GENERATIONS; generation++) {
        pthread_t threads[THREADS];
        for (int at = 0; at < THREADS; at++) {
            void *const seed = (void *)(uintptr_t)(generation * THREADS + at);
            require(pthread_create(&threads[at], NULL, work, seed) == 0, "no thread");
        }
        for (int at = 0; at < 20; at++) {
            front_before_fork_(-1);
            front_atfork_(-1);
            front_atfork_(0);
            usleep(500);
        }
        for (int at = 0; at < THREADS; at++) {
            pthread_join(threads[at], NULL);
        }
    }
    for (int at = 0; at < EXCHANGE; at++) {
        struct block *const parcel = exchange[at];
        if (parcel != NULL) {
            release(parcel);
            front_free_(parcel);
        }
    }
    puts("ok");
    return 0;
}
