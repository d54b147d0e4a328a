// The aligned family: every power of two up to 4 MiB, several sizes, many blocks alive at once, each
// freed and resized like any other block. A kit that forgets one of these functions links without a
// word, and free() then meets a block of musl's own heap.
#include "check.h"
#include <malloc.h>

enum { LARGEST_SHIFT = 22, BLOCKS = 9 };

static const size_t sizes[] = {0,    1,    7,    8,    17,   24,    100,   1000,
                               4095, 4096, 4097, 5000, 7000, 12000, 70000, 300000};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef void *allocate_function(size_t alignment, size_t size);

static void *by_posix_memalign(size_t alignment, size_t size) {
    void *block = NULL;
    if (alignment < sizeof(void *))
        alignment = sizeof(void *);
    int code = posix_memalign(&block, alignment, size);
    CHECK(code == 0, "posix_memalign(%zu, %zu) answers %d", alignment, size, code);
    return block;
}

static void one_size(allocate_function *allocate, const char *name, size_t alignment, size_t size) {
    unsigned char *blocks[BLOCKS];
    int count = alignment > 65536 || size > 4097 ? 3 : BLOCKS;
    for (int i = 0; i < count; i++) {
        blocks[i] = allocate(alignment, size);
        CHECK(blocks[i] != NULL, "%s(%zu, %zu) gave NULL", name, alignment, size);
        CHECK(is_aligned(blocks[i], alignment), "%s(%zu, %zu) gave %p", name, alignment, size,
              (void *)blocks[i]);
        CHECK(malloc_usable_size(blocks[i]) >= size, "%s(%zu, %zu): only %zu bytes are usable", name,
              alignment, size, malloc_usable_size(blocks[i]));
        pattern_fill(blocks[i], malloc_usable_size(blocks[i]), (uint64_t)i);
    }
    for (int i = 0; i < count; i++) {
        const size_t usable = malloc_usable_size(blocks[i]);
        CHECK_PATTERN(blocks[i], usable, (uint64_t)i, name);
        if (i % 3 == 0) {
            free(blocks[i]);
            continue;
        }
        // Both directions; the alignment need not survive, the content must, with the bytes that were not
        // asked for: programs use what malloc_usable_size gives them.
        size_t resized = i % 3 == 1 ? size * 2 + 1 : size / 2 + 1;
        size_t kept = resized < usable ? resized : usable;
        unsigned char *moved = realloc(blocks[i], resized);
        CHECK(moved != NULL, "realloc of an aligned block to %zu bytes failed", resized);
        CHECK_PATTERN(moved, kept, (uint64_t)i, "realloc of an aligned block");
        memset(moved, 0x5A, resized);
        free(moved);
    }
}

int main(int argc, char **argv) {
    int scale = scale_of(argc, argv);
    unsigned largest_shift = (unsigned)option_of(argc, argv, "largest-shift", LARGEST_SHIFT);
    watchdog(300);
    static const struct {
        allocate_function *allocate;
        const char *name;
    } family[] = {
        {aligned_alloc, "aligned_alloc"}, {by_posix_memalign, "posix_memalign"}, {memalign, "memalign"}};
    for (int round = 0; round < scale; round++)
        for (size_t f = 0; f < sizeof family / sizeof *family; f++) {
            watched_step = family[f].name;
            for (unsigned shift = 0; shift <= largest_shift; shift++)
                for (unsigned s = 0; s < SIZES; s++)
                    one_size(family[f].allocate, family[f].name, (size_t)1 << shift, sizes[s]);
        }

    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *whole_page = valloc(100);
    CHECK(whole_page != NULL && is_aligned(whole_page, page), "valloc(100) gave %p", whole_page);
    memset(whole_page, 1, 100);
    free(whole_page);
    return passed();
}
