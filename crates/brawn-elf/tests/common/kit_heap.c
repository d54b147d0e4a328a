/* A heap that stands for a kit's object in the tests: the whole malloc family with the names that musl uses
 * inside, the public ones weak, everything else local, and the marker. It hands out fresh pages and takes
 * none back. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MARKER
#define MARKER "brawn-kit: mimalloc 3.3.2"
#endif

static const char marker[] = MARKER;
/* What the real allocator holds as well: its warnings, which a linker merges with those of a second copy, and
 * the beginning of its table of block sizes, which it does not. */
static const char *const warning = "mimalloc: warning: ";
#define QUEUE(words) {NULL, NULL, 0, 0, (words) * sizeof(void *)}
static const struct {
    void *first, *last;
    size_t count, pages, block_size;
} queues[] = {
    QUEUE(1), QUEUE(2), QUEUE(3),  QUEUE(4),  QUEUE(5),  QUEUE(6),
    QUEUE(7), QUEUE(8), QUEUE(10), QUEUE(12), QUEUE(14), QUEUE(16),
};

#define PUBLIC __attribute__((weak, visibility("default")))

static __attribute__((noinline)) void *mi_fresh(size_t size, size_t align) {
    __asm__ volatile("" : : "r"(marker), "r"(warning), "r"(queues));
    const size_t head = align < 4096 ? 4096 : align;
    if (size > PTRDIFF_MAX - 2 * head) {
        errno = ENOMEM;
        return NULL;
    }
    char *const block =
        mmap(NULL, size + 2 * head, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        errno = ENOMEM;
        return NULL;
    }
    char *const start = (char *)(((uintptr_t)block + 2 * head - 1) / head * head);
    ((size_t *)start)[-1] = size;
    return start;
}

static __attribute__((noinline)) void *mi_grown(void *old, size_t size) {
    void *const block = mi_fresh(size, 1);
    if (block && old) {
        const size_t had = ((size_t *)old)[-1];
        memcpy(block, old, had < size ? had : size);
    }
    return block;
}

PUBLIC void *malloc(size_t size) {
    return mi_fresh(size, 1);
}
PUBLIC void *calloc(size_t count, size_t size) {
    return mi_fresh(count * size, 1);
}
PUBLIC void *realloc(void *old, size_t size) {
    return mi_grown(old, size);
}
PUBLIC void *reallocarray(void *old, size_t count, size_t size) {
    return mi_grown(old, count * size);
}
PUBLIC void free(void *block) {
    (void)block;
}
PUBLIC void *memalign(size_t align, size_t size) {
    return mi_fresh(size, align);
}
PUBLIC int posix_memalign(void **to, size_t align, size_t size) {
    *to = mi_fresh(size, align);
    return *to ? 0 : ENOMEM;
}
PUBLIC size_t malloc_usable_size(void *block) {
    return block ? ((size_t *)block)[-1] : 0;
}

void *__libc_malloc(size_t size) {
    return mi_fresh(size, 1);
}
void *__libc_realloc(void *old, size_t size) {
    return mi_grown(old, size);
}
void __libc_free(void *block) {
    (void)block;
}
void *__libc_calloc(size_t count, size_t size) {
    return mi_fresh(count * size, 1);
}

/* What musl's aligned_alloc needs of musl's malloc clashes with these. */
#ifndef FORGET_ALIGNED_ALLOC
PUBLIC void *aligned_alloc(size_t align, size_t size) {
    return mi_fresh(size, align);
}
void *__libc_malloc_impl(size_t size) {
    return mi_fresh(size, 1);
}
void __malloc_atfork(int who) {
    (void)who;
}
#endif
