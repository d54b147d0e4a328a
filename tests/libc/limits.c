// The edges of the malloc family: sizes that cannot be had, products that overflow, alignments that are
// none, empty blocks, free(NULL), and what happens to errno.
#include "check.h"
#include <malloc.h>

// Through a volatile, or the compiler warns of (and might act on) sizes that can never be had.
static volatile size_t too_large[] = {
    (size_t)PTRDIFF_MAX + 1,
    (size_t)PTRDIFF_MAX + 4096,
    SIZE_MAX / 2 + 2,
    SIZE_MAX - 65536,
    SIZE_MAX - 4096,
    SIZE_MAX - 16,
    SIZE_MAX - 1,
    SIZE_MAX,
    PTRDIFF_MAX,
    PTRDIFF_MAX - 4095,
    (size_t)1 << 56,
};

#define CHECK_NO_MEMORY(expression)                                                                          \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        void *got_ = (expression);                                                                           \
        CHECK(got_ == NULL, "%s gave %p", #expression, got_);                                                \
        CHECK(errno == ENOMEM, "%s left errno at %d instead of ENOMEM", #expression, errno);                 \
    } while (0)

static void impossible_sizes(void) {
    char *kept = malloc(100);
    CHECK(kept != NULL, "no memory for 100 bytes");
    pattern_fill(kept, 100, 1);
    for (size_t i = 0; i < sizeof too_large / sizeof *too_large; i++) {
        size_t size = too_large[i];
        CHECK_NO_MEMORY(malloc(size));
        CHECK_NO_MEMORY(calloc(1, size));
        CHECK_NO_MEMORY(calloc(size, 1));
        CHECK_NO_MEMORY(realloc(NULL, size));
        CHECK_NO_MEMORY(realloc(kept, size));
        CHECK_NO_MEMORY(reallocarray(kept, 1, size));
        CHECK_NO_MEMORY(aligned_alloc(64, size));
        CHECK_NO_MEMORY(aligned_alloc(4096, size));
        CHECK_NO_MEMORY(memalign(64, size));
        void *unchanged = kept;
        errno = 77;
        int code = posix_memalign(&unchanged, 64, size);
        CHECK(code == ENOMEM && errno == ENOMEM, "posix_memalign of %zu bytes answers %d", size, code);
        CHECK(unchanged == kept, "a failed posix_memalign changed the pointer");
    }
    CHECK_PATTERN(kept, 100, 1, "after a failed realloc");
    free(kept);
}

static void overflowing_products(void) {
    volatile size_t half = (size_t)1 << (sizeof(size_t) * 4), all = SIZE_MAX;
    char *kept = malloc(48);
    CHECK(kept != NULL, "no memory for 48 bytes");
    pattern_fill(kept, 48, 2);
    CHECK_NO_MEMORY(calloc(half, half));
    CHECK_NO_MEMORY(calloc(half, half + 1));
    CHECK_NO_MEMORY(calloc(all, 2));
    CHECK_NO_MEMORY(calloc(3, all / 2));
    CHECK_NO_MEMORY(reallocarray(NULL, half, half));
    CHECK_NO_MEMORY(reallocarray(kept, half, half + 1));
    CHECK_NO_MEMORY(reallocarray(kept, all / 16 + 2, 16));
    CHECK_PATTERN(kept, 48, 2, "after a failed reallocarray");
    free(kept);
}

static void bad_alignments(void) {
    static const size_t not_for_posix[] = {0, 1, 2, 3, 4, 7, 9, 12, 24, 48, 100, 4095, 4097};
    for (size_t i = 0; i < sizeof not_for_posix / sizeof *not_for_posix; i++) {
        void *unchanged = &unchanged;
        int code = posix_memalign(&unchanged, not_for_posix[i], 64);
        CHECK(code == EINVAL, "posix_memalign with alignment %zu answers %d", not_for_posix[i], code);
        CHECK(unchanged == &unchanged, "posix_memalign with alignment %zu changed the pointer",
              not_for_posix[i]);
    }
#ifndef __GLIBC__ // glibc rounds a wrong alignment up
    static volatile size_t no_powers[] = {3, 6, 24, 100, 4097};
    for (size_t i = 0; i < sizeof no_powers / sizeof *no_powers; i++) {
        errno = 0;
        void *block = aligned_alloc(no_powers[i], 64);
        CHECK(block == NULL && errno == EINVAL, "aligned_alloc(%zu, 64) gave %p, errno %d", no_powers[i],
              block, errno);
        errno = 0;
        block = memalign(no_powers[i], 64);
        CHECK(block == NULL && errno == EINVAL, "memalign(%zu, 64) gave %p, errno %d", no_powers[i], block,
              errno);
        errno = 0;
        int code = posix_memalign(&block, no_powers[i], 64);
        // What is less than a pointer's alignment is refused before errno is thought of.
        CHECK(code == EINVAL && errno == (no_powers[i] < sizeof(void *) ? 0 : EINVAL),
              "posix_memalign with alignment %zu answers %d, errno %d", no_powers[i], code, errno);
    }
#endif
}

static void impossible_alignments(void) {
    volatile size_t huge = (size_t)1 << (sizeof(size_t) * 8 - 1);
    CHECK_NO_MEMORY(aligned_alloc(huge, 64));
    CHECK_NO_MEMORY(memalign(huge, 64));
    void *unchanged = &unchanged;
    errno = 0;
    int code = posix_memalign(&unchanged, huge, 64);
    CHECK(code == ENOMEM && errno == ENOMEM && unchanged == &unchanged,
          "posix_memalign with alignment 2^63 answers %d", code);
}

static void empty_blocks(void) {
    enum { COUNT = 300 };
    static void *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        switch (i % 6) {
        case 0:
            blocks[i] = malloc(0);
            break;
        case 1:
            blocks[i] = calloc(0, 16);
            break;
        case 2:
            blocks[i] = calloc(16, 0);
            break;
        case 3:
            blocks[i] = realloc(NULL, 0);
            break;
        case 4:
            blocks[i] = aligned_alloc(64, 0);
            break;
        default:
            CHECK(posix_memalign(&blocks[i], 32, 0) == 0, "posix_memalign of no bytes failed");
        }
        CHECK(blocks[i] != NULL, "an empty block is NULL (way %d)", i % 6);
        for (int j = 0; j < i; j++)
            CHECK(blocks[j] != blocks[i], "two empty blocks share the address %p", blocks[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        void *grown = realloc(blocks[i], 40);
        CHECK(grown != NULL, "an empty block cannot grow");
        memset(grown, 3, 40);
        free(grown);
    }
#ifndef __GLIBC__ // glibc frees the block and answers NULL; on musl it stays a block
    void *shrunk = realloc(malloc(100), 0);
    CHECK(shrunk != NULL, "realloc(p, 0) gave NULL");
    free(shrunk);
    shrunk = reallocarray(malloc(100), 0, 8);
    CHECK(shrunk != NULL, "reallocarray(p, 0, 8) gave NULL");
    free(shrunk);
#endif
}

// POSIX 2024 and musl since 1.2.3: free leaves errno alone, also where it returns memory to the system.
static void errno_survives_free(void) {
    static const size_t sizes[] = {1, 100, 5000, 100000, 1000000, 20000000, 80000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *block = malloc(sizes[i]);
        CHECK(block != NULL, "no memory for %zu bytes", sizes[i]);
        block[0] = block[sizes[i] - 1] = 1;
        errno = 4321;
        free(block);
        CHECK(errno == 4321, "free of %zu bytes set errno to %d", sizes[i], errno);
    }
    errno = 4321;
    free(NULL);
    CHECK(errno == 4321, "free(NULL) set errno to %d", errno);
}

static void usable_sizes(void) {
    CHECK(malloc_usable_size(NULL) == 0, "malloc_usable_size(NULL) is %zu", malloc_usable_size(NULL));
    for (size_t size = 0; size < 3000000; size += size / 7 + 1) {
        char *block = malloc(size);
        CHECK(block != NULL, "no memory for %zu bytes", size);
        CHECK(is_aligned(block, required_alignment(size)), "malloc(%zu) gave %p", size, (void *)block);
        size_t usable = malloc_usable_size(block);
        CHECK(usable >= size, "malloc(%zu) has %zu usable bytes", size, usable);
        memset(block, 0xAB, usable);
        free(block);
    }
}

int main(int argc, char **argv) {
    int scale = scale_of(argc, argv);
    watchdog(120);
    for (int round = 0; round < scale; round++) {
        impossible_sizes();
        overflowing_products();
        bad_alignments();
        impossible_alignments();
        empty_blocks();
        errno_survives_free();
        usable_sizes();
    }
    return passed();
}
