/* LLVMFuzzerTestOneInput: an input is a sequence of operations on the heap, by several threads of which one
 * works at a time, checked against what they must do. For libFuzzer (clang -fsanitize=fuzzer) or for
 * ../../../string/test/fuzz_driver.c. What an input leaves is freed and trimmed, so inputs are independent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BLOCKS = 48, EDGE = 64, OPERATIONS_AT_MOST = 2000, LARGEST_SLOT = 131052 };

struct block {
    unsigned char *start;
    size_t size, usable;
    unsigned char pattern;
    bool of_library; /* which has it by names of its own, and may free and resize it by them */
};

/* In the hardened build a program's blocks are mallocng's, too. */
#ifdef BRAWN_HARDENED
#define MALLOCNG_KNOWS(block) ((void)(block), true)
#else
#define MALLOCNG_KNOWS(block) ((block)->of_library)
#endif

static struct block blocks[BLOCKS];
static const uint8_t *input, *input_end;
static unsigned char next_pattern;
static bool threaded; /* until an input says so, there is one thread, and no lock is taken */

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "FAILED: %s\n", what);
        abort();
    }
}

static unsigned take(void) {
    return input < input_end ? *input++ : 0;
}

/* Sizes near the borders of classes, and some of each kind. */
static size_t take_size(void) {
    const unsigned kind = take(), value = take() << 8 | take();
    switch (kind % 8) {
    case 0:
    case 1:
        return value % 130;
    case 2:
        return value % 1100;
    case 3:
        return value % 17000;
    case 4:
        return value * 2u;
    case 5:
        return 16 * (size_t)(value % 9000) - (value % 9000 > 0 ? kind % 6 : 0);
    case 6:
        return LARGEST_SLOT - 40 + value % 80;
    default:
        return (size_t)value * 37;
    }
}

/* Both ends are enough: what lies between belongs to the same block. */
static void fill(struct block *block) {
    const size_t edge = block->usable < EDGE ? block->usable : EDGE;
    block->pattern = ++next_pattern;
    memset(block->start, block->pattern, edge);
    memset(block->start + block->usable - edge, block->pattern, edge);
}

static void check_start(const struct block *block, size_t size) {
    for (size_t at = 0; at < size && at < EDGE; at++) {
        require(block->start[at] == block->pattern, "a block's first bytes are not what was written");
    }
}

static void check(const struct block *block) {
    check_start(block, block->usable);
    for (size_t at = 0; at < block->usable && at < EDGE; at++) {
        require(block->start[block->usable - 1 - at] == block->pattern,
                "a block's last bytes are not what was written");
    }
    require(front_usable_size_(block->start) == block->usable, "the usable size of a block changes");
}

static void adopt(struct block *block, void *start, size_t size, size_t alignment) {
    if (start == NULL) {
        require(host_memory_is_short, "no memory, though the system has some");
        return;
    }
    const size_t usable = front_usable_size_(start);
    const uintptr_t from = (uintptr_t)start, to = from + usable;
    require(from % alignment == 0, "a block is not aligned as asked for");
    require(usable >= size, "the usable size is less than what was asked for");
    for (int at = 0; at < BLOCKS; at++) {
        const uintptr_t other = (uintptr_t)blocks[at].start;
        require(other == 0 || &blocks[at] == block || to <= other || other + blocks[at].usable <= from,
                "two blocks overlap");
    }
    *block = (struct block){start, size, usable, 0, false};
    fill(block);
}

static void drop(struct block *block, void (*release)(void *)) {
    if (block->start != NULL) {
        check(block);
        errno = 77;
        release(block->start);
        require(errno == 77, "free has changed errno");
        *block = (struct block){0};
    }
}

static void allocate(struct block *block, unsigned how) {
    const size_t size = take_size();
    const size_t alignment = (size_t)16 << take() % 11;
    void *start = NULL;
    drop(block, front_free_);
    switch (how % 6) {
    case 0:
        adopt(block, front_aligned_alloc_(alignment, size), size, alignment);
        break;
    case 1:
        start = front_calloc_(size / 4 + 1, 4);
        for (size_t at = 0; start != NULL && at < size; at += at < 256 ? 1 : 509) {
            require(((unsigned char *)start)[at] == 0, "calloc gives dirty memory");
        }
        adopt(block, start, size, 16);
        break;
    case 2:
        require(front_posix_memalign_(&start, alignment, size) == 0 || host_memory_is_short,
                "posix_memalign fails");
        adopt(block, start, size, alignment);
        break;
    case 3: /* the library's own */
        adopt(block, take() % 2 ? front_libc_malloc_(size) : __libc_malloc_impl(size), size, 16);
        block->of_library = true;
        break;
    default:
        adopt(block, front_malloc_(size), size, 16);
    }
}

static void resize(struct block *block) {
    const size_t size = take_size() + 1;
    if (block->start == NULL) {
        return;
    }
    const bool by_library = take() % 8 == 0 && MALLOCNG_KNOWS(block);
    check(block);
    const struct block before = *block;
    *block = (struct block){0};
    void *const start = by_library ? __libc_realloc(before.start, size) : front_realloc_(before.start, size);
    if (start == NULL) {
        require(host_memory_is_short, "no memory to resize a block");
        *block = before;
        check(block);
        return;
    }
    const struct block moved = {start, size, 0, before.pattern, false};
    check_start(&moved, size < before.usable ? size : before.usable);
    adopt(block, start, size, 16);
    block->of_library = by_library;
}

static void fork_here(void) {
    front_atfork_(-1);
    front_atfork_(take() % 2);
}

static void operate(void) {
    const unsigned operation = take();
    struct block *const block = &blocks[take() % BLOCKS];
    switch (operation % 24) {
    case 0:
        drop(block, MALLOCNG_KNOWS(block) ? front_libc_free_ : front_free_);
        break;
    case 1:
    case 2:
    case 3:
    case 4:
        resize(block);
        break;
    case 5:
    case 6:
        if (threaded) {
            host_switch((int)(take() % HOST_THREADS));
        }
        break;
    case 7:
        if (threaded) {
            host_thread_ends();
        }
        break;
    case 8:
        front_trim_(0);
        break;
    case 9:
        fork_here();
        break;
    case 10:
        host_milliseconds += take() * 20;
        break;
    case 11:
        host_memory_is_short = take() % 2;
        break;
    case 12:
        threaded |= take() % 4 == 0;
        host_threads(threaded ? (int)(2 + take() % 60) : 1);
        break;
    case 13: /* many of a size at once, which fills lists */
        for (int at = 0; at < BLOCKS; at++) {
            drop(&blocks[at], front_free_);
        }
        break;
    case 14: {
        const size_t size = take_size() % 20000;
        for (int at = 0; at < BLOCKS / 2; at++) {
            drop(&blocks[at], front_free_);
            adopt(&blocks[at], front_malloc_(size), size, 16);
        }
        break;
    }
    case 15:
    case 16:
    case 17:
        drop(block, front_free_);
        break;
    default:
        allocate(block, operation / 24);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool started;
    if (!started) {
        host_start();
        host_switch(0);
        started = true;
    }
    input = data;
    input_end = data + size;
    threaded = false;
    host_threads(1);
    for (int at = 0; at < OPERATIONS_AT_MOST && input < input_end; at++) {
        operate();
    }
    host_memory_is_short = false;
    host_threads(HOST_THREADS);
    for (int at = 0; at < BLOCKS; at++) {
        drop(&blocks[at], front_free_);
    }
    for (int thread = 0; thread < HOST_THREADS; thread++) {
        host_switch(thread);
        host_thread_ends();
    }
    front_trim_(0);
    host_switch(0);
    return 0;
}
