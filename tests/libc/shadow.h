// A map of all memory that the heap has handed out and not taken back, kept outside the heap: one bit for
// every 8 bytes. Who gets a block claims its bits; a bit that is claimed already means that two blocks
// overlap, no matter who owns the other one and whenever it came.
//
// No locks: pages are found in a table that only grows, and bits change by atomic operations. So it works in
// any thread and in a child of fork, and allocates nothing.
#ifndef BRAWN_TESTS_SHADOW_H
#define BRAWN_TESTS_SHADOW_H

#include "check.h"
#include <stdatomic.h>
#include <sys/mman.h>

enum { SHADOW_PAGE = 4096, SHADOW_GRAIN = 8, SHADOW_WORDS = SHADOW_PAGE / SHADOW_GRAIN / 64 };

struct shadow_page {
    _Atomic uintptr_t number; // of the page, or 0
    _Atomic uint64_t claimed[SHADOW_WORDS];
};

enum { SHADOW_PAGES = 1 << 18 };

static struct shadow_page *shadow_pages;

static inline void shadow_start(void) {
    shadow_pages = mmap(NULL, SHADOW_PAGES * sizeof *shadow_pages, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(shadow_pages != MAP_FAILED, "no memory for the map");
}

static inline struct shadow_page *shadow_page(uintptr_t address) {
    const uintptr_t number = address / SHADOW_PAGE;
    size_t at = (size_t)(number * 0x9E3779B97F4A7C15ULL >> 46);
    for (size_t tries = 0; tries < SHADOW_PAGES; tries++, at = (at + 1) % SHADOW_PAGES) {
        uintptr_t found = atomic_load_explicit(&shadow_pages[at].number, memory_order_relaxed);
        if (found == 0 && atomic_compare_exchange_strong(&shadow_pages[at].number, &found, number))
            return &shadow_pages[at];
        if (found == number)
            return &shadow_pages[at];
    }
    check_failed(__FILE__, __LINE__, "the map is full");
}

// Turns the bits of `size` bytes on or off; each must have been the opposite.
static inline void shadow_turn(const void *block, size_t size, bool on) {
    const uintptr_t end = (uintptr_t)block + size;
    uintptr_t at = (uintptr_t)block;
    while (at < end) {
        const unsigned first = (unsigned)(at / SHADOW_GRAIN % 64);
        const uintptr_t left = (end - at + SHADOW_GRAIN - 1) / SHADOW_GRAIN;
        const unsigned count = left < 64 - first ? (unsigned)left : 64 - first;
        const uint64_t bits = (count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1) << first;
        _Atomic uint64_t *word = &shadow_page(at)->claimed[at % SHADOW_PAGE / (SHADOW_GRAIN * 64)];
        if (on) {
            const uint64_t before = atomic_fetch_or(word, bits);
            CHECK((before & bits) == 0, "the block %p of %zu bytes overlaps another one near %p", block, size,
                  (void *)at);
        } else {
            const uint64_t before = atomic_fetch_and(word, ~bits);
            CHECK((before & bits) == bits, "the block %p of %zu bytes was not all its owner's near %p", block,
                  size, (void *)at);
        }
        at += (uintptr_t)count * SHADOW_GRAIN;
    }
}

// Bytes that are claimed, for the end: there must be none.
static inline size_t shadow_sum(void) {
    size_t sum = 0;
    for (size_t at = 0; at < SHADOW_PAGES; at++)
        for (int word = 0; shadow_pages[at].number != 0 && word < SHADOW_WORDS; word++)
            sum += (size_t)__builtin_popcountll(shadow_pages[at].claimed[word]) * SHADOW_GRAIN;
    return sum;
}

#endif
