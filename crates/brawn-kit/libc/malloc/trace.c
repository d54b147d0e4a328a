/* Counts what a program allocates: how much, in which sizes, and how long blocks live. For a run of its own,
   in which nothing is timed: musl's heap, as it came, stays behind it.

   The figures lie in a file that the environment names, mapped, so that they are there however the program
   ends. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "brawn/layout.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Tells this heap from any other, even in a stripped executable. */
static const char marker[] __attribute__((section(".rodata.brawn_kit"))) =
    "brawn-kit: " BRAWN_KIT_NAME " " BRAWN_KIT_VERSION;

void *__libc_malloc(size_t size);
extern char **__environ;

enum {
    /* Powers of two: of a size in bytes, of an age in allocations. */
    POWERS = 48,
    /* Blocks whose age is watched, at most, and one in how many is. */
    WATCHES = 1 << 14,
    SAMPLED = 8,
};

/* brawn-tune reads this, in this order. */
struct figures {
    _Atomic uint64_t allocations, reallocations, frees, bytes, live, peak;
    /* Blocks whose age is watched: how many there were, and how many could not be for lack of room. */
    _Atomic uint64_t watched, lost;
    _Atomic uint64_t sizes[POWERS], ages[POWERS];
};

static struct figures nowhere;
static struct figures *_Atomic figures;
static struct watch {
    _Atomic uintptr_t block;
    _Atomic uint64_t birth;
} watches[WATCHES];

/* What follows the name of the variable, if it is set. */
static const char *file_name(void) {
    static const char name[] = "BRAWN_TRACE=";
    for (char **entry = __environ; entry && *entry; entry++) {
        size_t i = 0;
        while (name[i] && (*entry)[i] == name[i])
            i++;
        if (!name[i])
            return *entry + i;
    }
    return NULL;
}

static struct figures *find(void) {
    struct figures *known = atomic_load_explicit(&figures, memory_order_acquire);
    if (known)
        return known;
    __asm__ volatile("" : : "r"(marker));
    int before = errno;
    struct figures *fresh = &nowhere;
    const char *name = file_name();
    int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
        void *place = mmap(NULL, sizeof *fresh, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (place != MAP_FAILED)
            fresh = place;
        close(file);
    }
    errno = before;
    /* Two threads may map it at once: both see the same file. */
    atomic_store_explicit(&figures, fresh, memory_order_release);
    return fresh;
}

static void add(_Atomic uint64_t *count, uint64_t more) {
    atomic_fetch_add_explicit(count, more, memory_order_relaxed);
}

static unsigned power(uint64_t number) {
    unsigned bits = number ? 64 - (unsigned)__builtin_clzll(number) : 0;
    return bits < POWERS ? bits : POWERS - 1;
}

/* The place of a block whose age is watched; none for the others. */
static struct watch *watch_of(uintptr_t block) {
    uint64_t mixed = (block >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    if ((mixed >> 20) % SAMPLED)
        return NULL;
    return &watches[mixed >> 50];
}

static void born(void *block, size_t asked) {
    struct figures *all = find();
    uint64_t birth = atomic_fetch_add_explicit(&all->allocations, 1, memory_order_relaxed);
    add(&all->bytes, asked);
    add(&all->sizes[power(asked)], 1);
    uint64_t size = malloc_usable_size(block);
    uint64_t live = atomic_fetch_add_explicit(&all->live, size, memory_order_relaxed) + size;
    uint64_t peak = atomic_load_explicit(&all->peak, memory_order_relaxed);
    while (live > peak && !atomic_compare_exchange_weak_explicit(&all->peak, &peak, live,
                                                                 memory_order_relaxed, memory_order_relaxed))
        ;
    struct watch *watch = watch_of((uintptr_t)block);
    if (!watch)
        return;
    uintptr_t empty = 0;
    if (atomic_compare_exchange_strong(&watch->block, &empty, (uintptr_t)block)) {
        atomic_store_explicit(&watch->birth, birth, memory_order_relaxed);
        add(&all->watched, 1);
    } else {
        add(&all->lost, 1);
    }
}

/* Before the block is given back: from then on another thread may have it. */
static void died(void *block) {
    struct figures *all = find();
    add(&all->frees, 1);
    atomic_fetch_sub_explicit(&all->live, malloc_usable_size(block), memory_order_relaxed);
    struct watch *watch = watch_of((uintptr_t)block);
    if (!watch || atomic_load(&watch->block) != (uintptr_t)block)
        return;
    uint64_t now = atomic_load_explicit(&all->allocations, memory_order_relaxed);
    uint64_t birth = atomic_load_explicit(&watch->birth, memory_order_relaxed);
    add(&all->ages[power(now > birth ? now - birth : 0)], 1);
    atomic_store(&watch->block, 0);
}

void *__libc_malloc(size_t size) {
    return __libc_malloc_impl(size);
}

void *malloc(size_t size) {
    void *block = __libc_malloc_impl(size);
    if (block)
        born(block, size);
    return block;
}

void free(void *block) {
    if (block)
        died(block);
    __libc_free(block);
}

void *realloc(void *block, size_t size) {
    if (!block)
        return malloc(size);
    add(&find()->reallocations, 1);
    size_t before = malloc_usable_size(block);
    died(block);
    void *moved = __libc_realloc(block, size);
    if (moved)
        born(moved, size);
    else
        born(block, before);
    return moved;
}

/* musl's own would call mallocng, past the front; memalign, posix_memalign and valloc are musl's, and call
   this. The same as there: a block with room for the alignment, which begins later in its slot. */
void *aligned_alloc(size_t alignment, size_t size) {
    if ((alignment & (alignment - 1)) != 0) {
        errno = EINVAL;
        return NULL;
    }
    /* mallocng has 32 bits for the distance, in units. */
    if (alignment >= (size_t)UNIT << 31 || size > SIZE_MAX - alignment) {
        errno = ENOMEM;
        return NULL;
    }
    if (alignment <= UNIT)
        return malloc(size);
    unsigned char *block = __libc_malloc_impl(size + alignment - 1);
    if (!block)
        return NULL;
    const struct slot slot = slot_of(block);
    const size_t skip = -(uintptr_t)block & (alignment - 1);
    if (skip)
        block_move_up(&slot, block + skip);
    block += skip;
    block_end_after(block, slot.end, size);
    born(block, size);
    return block;
}
