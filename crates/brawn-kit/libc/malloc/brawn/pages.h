/* Pages for slabs, and for mallocng's groups and large blocks. mallocng maps and unmaps each group by
 * itself, a page or four at a time, and with many threads every such munmap interrupts the other
 * processors: 40 threads that free 4 MiB of small blocks each spent nine tenths of their time there. So in
 * an overlay mallocng's calls of mmap and munmap come here (crates/brawn-libc/src/redirect.rs): all is cut
 * from chunks, freed pages wait in bounds for who comes next, and what is too much goes back to the system
 * in long runs. A formatter that made and freed the large blocks of each file spent a fifth of its time in
 * the kernel before they came from chunks, too.
 *
 * A page has 4 KiB here, whatever the system's have; it takes back whole ones of its own. */
#ifndef BRAWN_PAGES_H
#define BRAWN_PAGES_H

#include "chunks.h"

enum {
    RUN_LARGEST =
        16, /* pages of a group that are cleared for it: of larger ones, much may never be touched */
    LARGE_RUN = CHUNK_PAGES - HEAD_PAGES, /* of a larger one, or of a large block */
    LOWEST_HOLDS = 64,                    /* times that pages are taken */
    TOUCH_LARGEST = 4,                    /* pages of a group that are touched before they are asked for */
    TOUCH_SHARE = 64,                     /* but of the bytes in use, as many for one */
    GROWN_CHUNKS = 8,                     /* of fewer, little lies unused */
    GROWTH_SHARE = 16,                    /* of the bytes in use, one in so many is much at once */
    FITS = 16,                            /* chunks that are looked at for a large run */
    PURGE_SHARE = 4,                      /* of the bound, so much goes at once when it is passed */
    PURGE_CHUNKS = 16, /* that go in one call: a fork meanwhile costs the child so many at worst */
    PURGE_FIRST = 32,  /* pages of the runs that go back first; then a quarter of that, and so on */
};

/* Who asks for a run of pages: mallocng, or the front end for a slab, which may lie in a chunk with a head
 * alone, need not be zero, and may have to be aligned to its size. */
enum run { FOR_MALLOCNG, FOR_SLAB, FOR_SLAB_ALIGNED };

/* A run from this chunk, or NULL: all zero, unless it is for a slab. */
static void *chunk_take(uint32_t number, unsigned length, enum run run) {
    for (unsigned word = 0; word < CHUNK_WORDS; word++) {
        const uint64_t mask =
            run_claim(chunk_of(number), word, length, run == FOR_SLAB_ALIGNED ? length : 1, 0);
        if (mask == 0) {
            continue;
        }
        uint64_t dirty = pages_clean(number, word, mask);
        pages_missed(length - (unsigned)kit_popcount(dirty));
        for (; dirty != 0 && run == FOR_MALLOCNG; dirty &= dirty - 1) {
            memset(page_at(number, 64 * word + (unsigned)__builtin_ctzll(dirty)), 0, PAGE);
        }
        return page_at(number, 64 * word + (unsigned)__builtin_ctzll(mask));
    }
    atomic_store_explicit(room_of(number), (uint8_t)(length - 1), RELAXED);
    return NULL;
}

/* What a thread that calls mallocng for a large block says to `__brawn_map_pages`, and hears of it:
 * its pages may come from a chunk, and need not be zero. */
static __thread struct {
    unsigned char class; /* of the block, or 0 */
    bool dirty;          /* they are not zero */
} wanted;

/* In the hardened build each of them is a mapping of its own, so that a freed one is no one's. */
static inline void want_pages(unsigned class) {
#ifdef BRAWN_HARDENED
    (void)class;
#else
    wanted.class = (unsigned char)class;
#endif
}

/* mallocng counts on zero in the header of a large block's group, and in the four bytes before and behind its
 * slot. */
static RARE void run_prepare(unsigned char *start, size_t size) {
    memset(start, 0, UNIT);
    memset(start + whole(size) - IN_BAND, 0, IN_BAND);
}

/* Where a run of many pages would lie, and how many of them were not written to before. */
struct fit {
    uint32_t number;
    unsigned page, fresh;
};

/* Of the pages before this one the last that is free, or that is not, and one more; 0: there is none. */
static inline unsigned page_before(const uint64_t *used, unsigned end, bool free) {
    while (end > 0) {
        const unsigned word = (end - 1) / 64;
        const uint64_t bits = (free ? ~used[word] : used[word]) & run_mask(0, end - 64 * word);
        if (bits != 0) {
            return 64 * word + 64 - (unsigned)__builtin_clzll(bits);
        }
        end = 64 * word;
    }
    return 0;
}

static RARE void fit_try(struct fit *best, uint32_t number, unsigned page, unsigned length,
                         const uint64_t *dirty) {
    unsigned fresh = length;
    for (unsigned word = page / 64; word < CHUNK_WORDS && 64 * word < page + length; word++) {
        fresh -= (unsigned)kit_popcount(dirty[word] & word_mask(word, page, page + length));
    }
    if (fresh < best->fresh) {
        *best = (struct fit){number, page, fresh};
    }
}

/* Looks for a better one in this chunk, the highest of those that are alike: small groups take the lowest. */
static RARE bool chunk_fit(struct fit *best, uint32_t number, unsigned length) {
    struct chunk *const chunk = chunk_of(number);
    uint64_t used[CHUNK_WORDS], dirty[CHUNK_WORDS];
    bool any = false;
    for (unsigned word = 0; word < CHUNK_WORDS; word++) {
        used[word] = atomic_load_explicit(&chunk->used[word], RELAXED);
        dirty[word] = atomic_load_explicit(&chunk->dirty[word], RELAXED);
    }
    unsigned end = CHUNK_PAGES;
    while ((end = page_before(used, end, true)) > 0) {
        const unsigned start = page_before(used, end, false);
        if (end - start >= length) {
            any = true;
            fit_try(best, number, end - length, length, dirty);
            fit_try(best, number, start, length, dirty);
        }
        end = start;
    }
    if (!any) {
        atomic_store_explicit(room_of(number), (uint8_t)(length - 1), RELAXED);
    }
    return any;
}

static RARE void *fit_take(const struct fit *fit, size_t size, unsigned length, enum run what) {
    size_t dirty;
    if (!pages_claim(fit->number, fit->page, fit->page + length, &dirty)) {
        return NULL;
    }
    unsigned char *const start = page_at(fit->number, fit->page);
    pages_missed(length - dirty);
    if (what == FOR_MALLOCNG) {
        wanted.dirty = dirty > 0;
        if (dirty > 0) {
            run_prepare(start, size);
        }
    }
    return start;
}

static COLD unsigned char *chunk_map_bytes(void *hint, size_t size) {
    return KERNEL_CALL((mmap)(hint, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

/* The address space of a chunk, aligned to its size if there is room: below the one before, or where the
 * system puts it. */
static COLD unsigned char *chunk_map(void) {
    const size_t size = CHUNK_BYTES;
    const uintptr_t before = pages.newest;
    unsigned char *const start = chunk_map_bytes((void *)(before > size ? before - size : 0), size);
    if (start == MAP_FAILED || (uintptr_t)start % size == 0) {
        return start;
    }
    unsigned char *const wide = chunk_map_bytes(NULL, 2 * size);
    if (wide == MAP_FAILED) {
        return start;
    }
    const size_t skip = (0 - (uintptr_t)wide) % size, behind = size - skip;
    (void)KERNEL_CALL((munmap)(start, size));
    if (skip > 0) {
        (void)KERNEL_CALL((munmap)(wide, skip));
    }
    if (behind > 0) {
        (void)KERNEL_CALL((munmap)(wide + skip + size, behind));
    }
    return wide + skip;
}

/* A chunk of its own for this run and what comes after it. */
static COLD void *chunk_add(unsigned length, enum run run) {
    const uint32_t count = atomic_load_explicit(&pages.count, RELAXED);
    uint32_t number = 0;
    while (number < count && atomic_load_explicit(base_of(number), memory_order_acquire) != 0) {
        number++;
    }
    if (number == CHUNKS) {
        return NULL;
    }
    if (number >= RACK && pages.more[number / RACK] == NULL) {
        void *const rack = chunk_map_bytes(NULL, sizeof(struct rack));
        if (rack == MAP_FAILED) {
            return NULL;
        }
        pages.more[number / RACK] = rack;
    }
    unsigned char *const start = chunk_map();
    if (start == MAP_FAILED) {
        return NULL;
    }
    pages.newest = (uintptr_t)start;
    if ((uintptr_t)start % CHUNK_BYTES == 0) {
        tag_set(start);
    }
    if (has_table(start)) {
        CHUNK_NUMBER(start) = number;
    } else if (run != FOR_MALLOCNG) {
        (void)KERNEL_CALL((munmap)(start, CHUNK_BYTES));
        return NULL;
    }
    struct chunk *const chunk = chunk_of(number);
    const size_t page = length > RUN_LARGEST ? CHUNK_PAGES - length : HEAD_PAGES;
    atomic_store_explicit(base_of(number), (uintptr_t)start, RELAXED);
    for (unsigned word = 0; word < CHUNK_WORDS; word++) {
        atomic_store_explicit(&chunk->used[word],
                              word_mask(word, 0, HEAD_PAGES) | word_mask(word, page, page + length),
                              memory_order_release);
    }
    atomic_store_explicit(room_of(number), ROOM_UNKNOWN, RELAXED);
    if (number == count) {
        atomic_store_explicit(&pages.count, count + 1, memory_order_release);
        atomic_store_explicit(&pages.grown, count >= GROWN_CHUNKS, RELAXED);
    }
    return start + page * PAGE;
}

/* Whether a run may be found there. */
static inline bool chunk_may_have(uint32_t number, unsigned length, enum run run) {
    return atomic_load_explicit(room_of(number), RELAXED) >= length &&
           (run == FOR_MALLOCNG || has_table(page_at(number, 0)));
}

/* A run that may go from one word to the next, of which as much as can be was written to before. */
static RARE void *chunks_take_large(uint32_t at, uint32_t end, size_t size, unsigned length, enum run run) {
    struct fit best = {.fresh = length + 1};
    for (unsigned fits = 0; at < end && best.fresh > 0 && fits < FITS; at++) {
        if (chunk_may_have(at, length, run)) {
            fits += chunk_fit(&best, at, length);
        }
    }
    return best.fresh > length ? NULL : fit_take(&best, size, length, run);
}

/* A run of one of the chunks from `at` to before `end`, or NULL. */
static RARE unsigned char *chunks_take(uint32_t at, uint32_t end, size_t size, unsigned length,
                                       enum run run) {
    while (at < end && atomic_load_explicit(room_of(at), RELAXED) == 0) {
        at++;
    }
    pages.lowest = at;
    if (length > RUN_LARGEST) {
        return chunks_take_large(at, end, size, length, run);
    }
    unsigned char *start = NULL;
    for (; start == NULL && at < end; at++) {
        if (chunk_may_have(at, length, run)) {
            start = chunk_take(at, length, run);
        }
    }
    return start;
}

/* A run of a chunk, or NULL. */
static RARE unsigned char *pages_take(size_t size, unsigned length, enum run run) {
    unsigned char *start = NULL;
    const bool locked = lock_take(&pages.taking);
    const uint32_t count = atomic_load_explicit(&pages.count, RELAXED);
    /* Who gives pages back does not say so here, so all chunks have their turn now and then, and before
     * another one. */
    uint32_t first = pages.taken++ % LOWEST_HOLDS == 0 ? 0 : pages.lowest;
    start = chunks_take(first, count, size, length, run);
    if (start == NULL && first > 0) {
        start = chunks_take(0, first, size, length, run);
    }
    if (start == NULL) {
        start = chunk_add(length, run);
        pages_missed(length);
    }
    lock_give(&pages.taking, locked);
    return start;
}

static RARE bool pages_purge(size_t keep, size_t rest);

/* A mapping of so many bytes has made the program larger. If that is much, pages that wait elsewhere may not come on
 * top of the most that it ever used, but for a few. */
static RARE void pages_growth(size_t size) {
    if (RECENT_COUNTS && size >= recent_share(GROWTH_SHARE)) {
        const size_t few = (recent_under(&recent.most) + MARGIN_BASE) / PAGE;
        (void)pages_purge(smaller(pages_bound(), few), 0);
    }
}

/* What mallocng calls in place of mmap: with its lock for a group, without for a large block. */
INNER RARE void *__brawn_map_pages(void *address, size_t size, int protection, int flags, int file,
                                   off_t offset) {
    size_t length = page_count(size);
    unsigned char *start = NULL;
    if (length > 0 && length <= (wanted.class != 0 ? LARGE_RUN : RUN_LARGEST) &&
        protection == (PROT_READ | PROT_WRITE)) {
        start = pages_take(size, (unsigned)length, FOR_MALLOCNG);
    }
    if (start == NULL) {
        length = 0; /* of a chunk */
        start = (mmap)(address, size, protection, flags, file, offset);
    }
    if (start != MAP_FAILED) {
        recent_grow(whole(size));
        if (length == 0) {
            pages_growth(size);
        }
    }
    const size_t touched = atomic_load_explicit(&recent.in_use, RELAXED) / TOUCH_SHARE;
    /* mallocng reads a header before it writes it, so a page would be faulted in twice: first as the system's
     * page of zeros, and then, with an interrupt for all other processors, as one of its own. */
    for (size_t page = 0; length <= TOUCH_LARGEST && page < length && page * PAGE <= touched; page++) {
        *(volatile unsigned char *)(start + page * PAGE) = 0;
    }
    return start;
}

/* The pages that are never free. */
static inline uint64_t table_mask(unsigned word) {
    return word == 0 ? run_mask(0, HEAD_PAGES) : 0;
}

/* Comes to own a chunk of which nothing is in use, which then is no chunk any more. Where it was, or NULL. */
static RARE unsigned char *chunk_remove(uint32_t number) {
    struct chunk *const chunk = chunk_of(number);
    unsigned word = 0;
    while (word < CHUNK_WORDS && atomic_load_explicit(&chunk->used[word], RELAXED) == table_mask(word)) {
        word++;
    }
    if (word < CHUNK_WORDS) {
        return NULL; /* without writing to what others look at */
    }
    for (word = 0; word < CHUNK_WORDS; word++) {
        uint64_t none = table_mask(word);
        if (!atomic_compare_exchange_strong_explicit(&chunk->used[word], &none, ~(uint64_t)0,
                                                     memory_order_acquire, RELAXED)) {
            break;
        }
    }
    if (word < CHUNK_WORDS) {
        while (word-- > 0) {
            run_release(number, word, ~table_mask(word));
        }
        return NULL;
    }
    unsigned char *const start = page_at(number, 0);
    for (word = 0; word < CHUNK_WORDS; word++) {
        (void)pages_clean(number, word, ~(uint64_t)0);
    }
    /* Before somebody else can get the same addresses from the system. */
    if ((uintptr_t)start % CHUNK_BYTES == 0) {
        tag_clear(start);
    }
    atomic_store_explicit(base_of(number), 0, memory_order_release);
    return start;
}

static RARE void range_unmap(unsigned char *start, const unsigned char *end) {
    if (start != end) {
        (void)KERNEL_CALL((munmap)(start, (size_t)(end - start)));
    }
}

/* Unmaps chunks of which nothing is in use, while there are more than so many kept pages. Each call makes the
 * processors forget what they know of the program's pages, which costs more than the call: so there is one for
 * all that lie side by side, as a new chunk does below the one before. */
static RARE void chunks_remove(size_t keep) {
    unsigned char *start = NULL, *end = NULL;
    for (uint32_t at = atomic_load_explicit(&pages.count, memory_order_acquire);
         at-- > 0 && atomic_load_explicit(&pages.dirty, RELAXED) > keep;) {
        unsigned char *const chunk =
            atomic_load_explicit(base_of(at), memory_order_acquire) != 0 ? chunk_remove(at) : NULL;
        if (chunk != NULL) {
            if (chunk != end || (size_t)(end - start) == (size_t)PURGE_CHUNKS * CHUNK_BYTES) {
                range_unmap(start, end);
                start = chunk;
            }
            end = chunk + CHUNK_BYTES;
        }
    }
    range_unmap(start, end);
}

static RARE void range_purge(unsigned char *start, size_t size) {
    if (size > 0 && KERNEL_CALL((madvise)(start, size, MADV_DONTNEED)) != 0) {
        memset(start, 0, size); /* a program that has locked its memory */
    }
}

/* Gives back runs of at least so many pages. */
static RARE void chunk_purge(uint32_t number, unsigned length, unsigned unit) {
    uint64_t mine[CHUNK_WORDS] = {0}, mask;
    for (unsigned word = 0; word < CHUNK_WORDS; word++) {
        while ((mask = run_claim(chunk_of(number), word, length, 1, unit)) != 0) {
            mine[word] |= mask;
        }
    }
    size_t from = 0;
    for (size_t page = 0; page <= CHUNK_PAGES; page++) {
        if (page == CHUNK_PAGES || (mine[page / 64] >> page % 64 & 1) == 0) {
            range_purge(page_at(number, from), (page - from) * PAGE);
            from = page + 1;
        }
    }
    for (unsigned word = 0; word < CHUNK_WORDS; word++) {
        if (mine[word] != 0) {
            (void)pages_clean(number, word, mine[word]);
            run_release(number, word, mine[word]);
        }
    }
}

/* Lets go of kept pages down to so many, or below the bound when they are beyond it: whole chunks first, and of
 * the rest, if it is more than `rest`, long runs, of which one call gives many back. Whether any went. If
 * somebody else is at it, that one goes round once more. */
static RARE bool pages_purge(size_t keep, size_t rest) {
    const size_t before = atomic_load_explicit(&pages.dirty, RELAXED);
    if (before <= keep || atomic_exchange_explicit(&pages.purging, 2, memory_order_acq_rel) != 0) {
        return false;
    }
    const unsigned long page = getauxval(AT_PAGESZ);
    const unsigned unit = page <= PAGE ? 1 : (unsigned)(page / PAGE);
    uint32_t nobody_else;
    do {
        (void)atomic_exchange_explicit(&pages.purging, nobody_else = 1, memory_order_acq_rel);
        chunks_remove(keep);
        const size_t least = atomic_load_explicit(&pages.dirty, RELAXED) > rest ? keep : SIZE_MAX;
        for (unsigned length = PURGE_FIRST; length > 0; length /= 4) {
            for (uint32_t at = atomic_load_explicit(&pages.count, memory_order_acquire);
                 at-- > 0 && atomic_load_explicit(&pages.dirty, RELAXED) > least;) {
                if (atomic_load_explicit(base_of(at), memory_order_acquire) != 0) {
                    chunk_purge(at, length, unit);
                }
            }
        }
        const size_t bound = pages_bound();
        if (keep > bound - bound / PURGE_SHARE) {
            keep = bound - bound / PURGE_SHARE;
        }
        const size_t most = pages_rest(bound);
        rest = smaller(rest, most);
        const size_t next = atomic_load_explicit(&pages.dirty, RELAXED) + bound / PURGE_SHARE;
        atomic_store_explicit(&pages.next, smaller(next, most), RELAXED);
    } while (!atomic_compare_exchange_strong_explicit(&pages.purging, &nobody_else, 0, memory_order_acq_rel,
                                                      memory_order_acquire));
    const size_t after = atomic_load_explicit(&pages.dirty, RELAXED);
    if (RECENT_COUNTS && after < before) {
        pages_went(before - after);
    }
    return after < before;
}

/* Whether this lies in a chunk, in which, and in which of its pages. */
static RARE bool chunk_at(const void *address, uint32_t *number, size_t *page) {
    const uint32_t count = atomic_load_explicit(&pages.count, memory_order_acquire);
    if (has_table(address)) {
        const uintptr_t start = (uintptr_t)address & -(uintptr_t)CHUNK_BYTES;
        *number = CHUNK_NUMBER(start);
        *page = ((uintptr_t)address - start) / PAGE;
        return true;
    }
    for (*number = 0; *number < count; ++*number) {
        const uintptr_t offset = (uintptr_t)address - atomic_load_explicit(base_of(*number), RELAXED);
        if (offset < CHUNK_BYTES) {
            *page = offset / PAGE;
            return true;
        }
    }
    return false;
}

#ifdef SLABS
static RARE bool in_chunk(const void *address) {
    uint32_t number;
    size_t page;
    return chunk_at(address, &number, &page);
}
#endif

/* These pages were in use, and are kept now. */
static RARE void pages_release(uint32_t number, size_t from, size_t to) {
    const size_t dirty = atomic_fetch_add_explicit(&pages.dirty, to - from, RELAXED) + (to - from);
    for (unsigned word = 0; word < CHUNK_WORDS; word++) {
        const uint64_t mask = word_mask(word, from, to);
        if (mask != 0) {
            atomic_fetch_or_explicit(&chunk_of(number)->dirty[word], mask, RELAXED);
            run_release(number, word, mask);
        }
    }
    const size_t bound = pages_bound();
    if (unlikely(dirty > bound && dirty > atomic_load_explicit(&pages.next, RELAXED))) {
        (void)pages_purge(bound - bound / PURGE_SHARE, pages_rest(bound));
    }
}

/* What mallocng calls in place of munmap, without its lock. */
INNER RARE int __brawn_unmap_pages(void *address, size_t size) {
    SLOTS_HANDED_OVER(acquire); /* from those who freed the group's other slots */
    const size_t length = page_count(size);
    recent_shrink(whole(size));
    size_t page;
    uint32_t number;
    if (length > LARGE_RUN || !chunk_at(address, &number, &page)) {
        return (munmap)(address, size);
    }
#ifndef SLABS
    if (length <= RUN_LARGEST && has_table(address)) {
        memset(table_byte(address), 0, size / GRAIN); /* of blocks that libc's own functions freed */
    }
#endif
    pages_release(number, page, page + length);
    return 0;
}

/* What mallocng calls in place of mremap, for a large block. One in a chunk stays where it is, or the
 * answer is that it cannot: then mallocng copies it. */
INNER RARE void *__brawn_remap_pages(void *address, size_t before, size_t size, int flags, ...) {
    const size_t had = page_count(before), has = page_count(size);
    size_t page;
    uint32_t number;
    size_t dirty;
    void *start = address;
    if (had > LARGE_RUN || !chunk_at(address, &number, &page)) {
        start = (mremap)(address, before, size, flags);
    } else if (has < had) {
        pages_release(number, page + has, page + had);
    } else if (has > had &&
               (page + has > CHUNK_PAGES || !pages_claim(number, page + had, page + has, &dirty))) {
        start = MAP_FAILED;
    }
    if (start != MAP_FAILED) {
        recent_shrink(whole(before));
        recent_grow(whole(size));
        if (had > LARGE_RUN && has > had) {
            pages_growth(size);
        }
    }
    return start;
}

/* In the child of a fork: who was giving pages back is not here to end it. Pages that somebody owned at that
 * moment are lost. */
static COLD void pages_forked(void) {
    size_t dirty = 0;
    for (uint32_t number = 0; number < pages.count; number++) {
        for (unsigned word = 0; word < CHUNK_WORDS; word++) {
            struct chunk *const chunk = chunk_of(number);
            chunk->dirty[word] &= ~chunk->used[word];
            dirty += (size_t)kit_popcount(chunk->dirty[word]);
        }
    }
    pages.dirty = dirty;
    pages.purging = 0;
    pages.taking = 0;
}

#endif
