/* The front as it is, with the world around it replaced: the kernel, the library's record of the process, and
 * thread-local variables, which lie in a section of their own that the checker swaps. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stdatomic.h"

/* In place of ../../kernel.h. */
#define BRAWN_KERNEL_H
#define KERNEL_CALL(call) (call)
#define KERNEL_SYSCALL(...) ((void)model_syscall(__VA_ARGS__))
#define kernel_print(text) ((void)(text))
static inline int *kernel_libc_errno(void) {
    return &errno;
}

#define __thread __attribute__((section("front_locals")))
#define __builtin_trap() model_fail(what) /* of `die`: what it would have said */

static void tags_change(const volatile void *place);

/* The masks of mallocng's groups, which the front changes by the compiler's own operations, and the tags of
 * chunks. Who reads a tag has a block there, so it does not change meanwhile. */
#define __atomic_load_n(place, order) (groups_read(place), *(place))
#define __atomic_store_n(place, value, order)                                                                \
    ({                                                                                                       \
        const __typeof__(*(place)) value_ = (value);                                                         \
        groups_read(place);                                                                                  \
        groups_write(place, (uint32_t)value_);                                                               \
        *(place) = value_;                                                                                   \
    })
#define __atomic_compare_exchange_n(place, expected, value, weak, order, failure)                            \
    ({                                                                                                       \
        const __typeof__(*(place)) value_ = (value);                                                         \
        groups_read(place);                                                                                  \
        tags_change(place);                                                                                  \
        const bool equal_ = *(place) == *(expected);                                                         \
        MODEL_TEAR(place);                                                                                   \
        if (equal_) {                                                                                        \
            groups_write(place, (uint32_t)value_);                                                           \
            *(place) = value_;                                                                               \
        } else {                                                                                             \
            *(expected) = *(place);                                                                          \
        }                                                                                                    \
        equal_;                                                                                              \
    })

#define getauxval model_auxval
static unsigned long model_auxval(unsigned long type) {
    static const unsigned char random[16] = "0123456789abcde";
    return type == AT_RANDOM ? (unsigned long)(uintptr_t)random : 0;
}

#define clock_gettime model_gettime
static int model_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    *time = (struct timespec){1000, 0};
    return 0;
}

/* Two processors, and a thread stays on one. */
#define sched_getcpu() (model.current % 2)
#define sysconf(what) ((what) == _SC_NPROCESSORS_ONLN ? 2 : 4096)

/* Locks of the library's: on keys, and one under which it allocates. fork takes them in this order. */
static uint32_t library_keys, library_lock;
#define pthread_key_create(key, destructor)                                                                  \
    (lock_take_always(&library_keys), *(key) = 1, lock_give_always(&library_keys), 0)
#define pthread_setspecific(key, value)                                                                      \
    (model.threads[model.current].specific = (void *)(uintptr_t)(const void *)(value), 0)

/* The system's mappings: a few places of one chunk each, the lowest that is free first. Only addresses
 * matter. */

enum { PLACES = 4, PLACE_SIZE = 64 * 4096, PLACE_PAGES = 64 };
static unsigned char *const places = (unsigned char *)0x230000000000;
static bool place_is_mapped[PLACES];
static uint64_t place_held[PLACES]; /* pages that are mallocng's */
static uint32_t place_number[PLACES];
#define CHUNK_NUMBER(start) place_number[((uintptr_t)(start) - (uintptr_t)places) / PLACE_SIZE]

static uint64_t *held_at(const void *start, size_t size, uint64_t *mask) {
    const size_t offset = (size_t)((const unsigned char *)start - places), page = offset % PLACE_SIZE / 4096;
    const size_t count = size / 4096;
    if (offset >= PLACES * PLACE_SIZE || page + count > PLACE_PAGES ||
        !place_is_mapped[offset / PLACE_SIZE]) {
        model_fail("pages where nothing is mapped");
    }
    *mask = (count == PLACE_PAGES ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1) << page;
    return &place_held[offset / PLACE_SIZE];
}

static void *model_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    (void)address, (void)file, (void)offset;
    model_step(place_is_mapped);
    for (int at = 0; at < PLACES && size == PLACE_SIZE; at++) {
        if (!place_is_mapped[at]) {
            place_is_mapped[at] = true;
            /* Real memory is there once and for all. */
            static const int anew = MAP_FIXED | MAP_NORESERVE;
            if ((mmap)(places + at * PLACE_SIZE, size, protection, flags | anew, -1, 0) == MAP_FAILED) {
                model_fail("no memory at the places that the model wants");
            }
            return places + at * PLACE_SIZE;
        }
    }
    return MAP_FAILED;
}

static int model_discards(void *start, size_t size, bool unmaps) {
    uint64_t mask;
    model_step(place_is_mapped);
    if ((*held_at(start, size, &mask) & mask) != 0) {
        model_fail("pages that are in use go back to the system");
    }
    if (unmaps) {
        place_is_mapped[((unsigned char *)start - places) / PLACE_SIZE] = false;
    }
    return 0;
}

static int model_munmap(void *start, size_t size) {
    return model_discards(start, size, true);
}

static int model_madvise(void *start, size_t size, int advice) {
    (void)advice;
    return model_discards(start, size, false);
}

#define mmap model_mmap
#define munmap model_munmap
#define madvise model_madvise

#include "../names.h"

#define LOCK_PAUSES 1
#define POOLS 2
#define POOL_BASE ((size_t)128 << 10) /* small bounds, so that few blocks reach them */
#define POOLS_PER_THREAD ((size_t)0)
#define MAGAZINE_CROWD ((size_t)0)
#define MEDIUM_CROWD ((size_t)(model_keeps_medium() ? 4096 : 0)) /* in scenarios that say so: two blocks */
#define KEEP_BASE ((size_t)2 * 4096)
#define CHUNKS 3
#define TAGS 16
#define RECENT_COUNTS 0
#define DEPOT_CHAINS 16
#define CHUNK_WORDS 1
#define RUN_CROWD ((size_t)0)
#define SPARE_CROWD ((size_t)0)
#define BRAWN_KIT_NAME "model"
#define BRAWN_KIT_VERSION "0"

#define SLABS_LOCKED() (slabs.lock == 0 ? model_fail("slabs are changed without their lock") : (void)0)

#include "../../brawn/brawn.c"

static bool lies_in(const volatile void *place, const volatile void *start, size_t size) {
    return (uintptr_t)place >= (uintptr_t)start && (uintptr_t)place < (uintptr_t)start + size;
}

static void tags_change(const volatile void *place) {
    if (lies_in(place, chunk_tags, sizeof chunk_tags)) {
        model_step(place);
    }
}

struct libc __libc;
extern unsigned char __start_front_locals[];

size_t front_cache_size(void) {
    return sizeof(struct cache) + SPARES * sizeof(struct spare);
}

#ifdef SLABS

bool front_knows_class(const void *block) {
    (void)block;
    return false;
}

unsigned char front_class_told(const void *block) {
    return (unsigned char)(block == NULL);
}

void front_tell_class(const void *block, unsigned char told) {
    (void)block, (void)told;
}

/* Slabs lie in the first pages of places, most in the first; of the largest blocks one has the upper half of each. */
enum {
    SLAB_PAGES = 16, /* of the first place */
    MORE_PAGES = 12, /* of each other */
    BLOCKS_A_PAGE = 4,
    HUGE_PAGE = 32,
    HUGE_FROM = MODEL_SLABS_FROM + BLOCKS_A_PAGE * (SLAB_PAGES + MORE_PAGES * (PLACES - 1)),
    STEP = 128, /* at a multiple of this a block can begin */
    LINK = 16
};
_Static_assert(HUGE_FROM + PLACES <= MODEL_BLOCKS, "every block has a number");

int front_number(const void *block) {
    const size_t offset = (size_t)((const unsigned char *)block - places), page = offset % PLACE_SIZE / 4096;
    if (offset >= PLACES * PLACE_SIZE) {
        return -1;
    }
    const size_t place = offset / PLACE_SIZE, before = place == 0 ? 0 : SLAB_PAGES + MORE_PAGES * (place - 1);
    if (page == HUGE_PAGE) {
        return HUGE_FROM + (int)place;
    }
    if (page == 0 || page >= (place == 0 ? SLAB_PAGES : MORE_PAGES)) {
        model_fail("a block where the model expects none");
    }
    return MODEL_SLABS_FROM + (int)(BLOCKS_A_PAGE * (before + page) + offset % 4096 / 1024);
}

/* Of a place: the head's records, and what free blocks say at every address where one can begin. */
static unsigned char *place_save(unsigned char *to, const unsigned char *place, bool restore) {
    const size_t parts[][2] = {{0, SLAB_PAGES * sizeof(struct slab)},
                               {HUGE_PAGE * sizeof(struct slab), sizeof(struct slab)},
                               {HUGE_PAGE * PAGE, LINK}};
    for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++) {
        unsigned char *const here = (unsigned char *)(uintptr_t)place + parts[part][0];
        restore ? memcpy(here, to, parts[part][1]) : memcpy(to, here, parts[part][1]);
        to += parts[part][1];
    }
    for (size_t at = PAGE; at < SLAB_PAGES * PAGE; at += STEP) {
        unsigned char *const here = (unsigned char *)(uintptr_t)place + at;
        restore ? __builtin_memcpy(here, to, LINK) : __builtin_memcpy(to, here, LINK);
        to += LINK;
    }
    return to;
}

size_t front_save(unsigned char *to) {
    unsigned char *at = to;
    for (int place = 0; place < PLACES; place++) {
        at = place_is_mapped[place] ? place_save(at, places + place * PLACE_SIZE, false) : at;
    }
    return (size_t)(at - to);
}

void front_restore(const unsigned char *from) {
    unsigned char *at = (unsigned char *)(uintptr_t)from;
    for (int place = 0; place < PLACES; place++) {
        at = place_is_mapped[place] ? place_save(at, places + place * PLACE_SIZE, true) : at;
    }
}

#else

bool front_knows_class(const void *block) {
    unsigned class;
    return table_look(block, &class);
}

unsigned char front_class_told(const void *block) {
    return has_table(block) ? *table_byte(block) : 0;
}

void front_tell_class(const void *block, unsigned char told) {
    if (has_table(block)) {
        *table_byte(block) = told;
    }
}

int front_number(const void *block) {
    (void)block;
    return -1;
}

size_t front_save(unsigned char *to) {
    (void)to;
    return 0;
}

void front_restore(const unsigned char *from) {
    (void)from;
}

#endif

/* Counters are only ever added to, what is in use changes no bound here, and the number of processors is the
 * same no matter who asks for it. */
bool front_address_counts(const volatile void *place) {
    return !lies_in(place, &counters, sizeof counters) && !lies_in(place, &processors, sizeof processors) &&
           !lies_in(place, &recent, sizeof recent);
}

/* Marks a block as seen in a list, once. */
static void see(const void *block, bool *seen) {
    const int number = backend_number(block);
    if (number < 0) {
        model_fail("a list holds something that is no block");
    }
    if (seen[number]) {
        model_fail("a block is in two lists");
    }
    seen[number] = true;
    if (number >= MODEL_SLABS_FROM ? model.places[number] == IN_PROGRAM : model.places[number] != IN_FRONT) {
        model_fail("a block in a list is in use, or free in the backend");
    }
#ifdef SLABS
    if (number >= MODEL_SLABS_FROM) {
        if (!block_is_marked(block)) {
            model_fail("a block in a list does not say so");
        }
        return;
    }
#endif
    if (((const unsigned char *)block)[-3] >> 5 != RESERVED_CACHED) {
        model_fail("a block in a list does not say so");
    }
}

static size_t see_list(const void *head, size_t count, bool *seen) {
    size_t length = 0;
    for (const void *block = head; block != NULL; block = list_next(block)) {
        see(block, seen);
        length++;
    }
    if (length != count) {
        model_fail("a list's length is not its count");
    }
    return length;
}

static void see_cache(const struct cache *cache, bool *seen) {
    const int number = backend_number(cache);
    if (number >= 0) {
        seen[number] = true;
    }
    for (unsigned class = 0; class < SIZES; class++) {
        const struct bin *const bin = &cache->bins[class];
        see_list(bin->head, (size_t)(bin->size - bin->room), seen);
    }
    for (unsigned at = 0; at < cache->spare_count; at++) {
        see_list(cache->spares[at].head, cache->spares[at].count, seen);
    }
}

static size_t see_pool(const struct pool *pool, bool *seen) {
    size_t bytes = 0;
    for (unsigned class = 0; class < SMALL_SIZES; class++) {
        for (uint32_t at = 0; at < pool->depots[class].count; at++) {
            const struct chain *const chain = &pool->chains[at][class];
            bytes += see_list(chain->head, chain->count, seen) * class_bytes(class);
        }
    }
    for (unsigned at = 0; at < SHELVES; at++) {
        bytes += see_list(pool->shelves[at].head, pool->shelves[at].tally.count, seen) *
                 class_bytes(at + SMALL_SIZES);
    }
    return bytes;
}

static const struct cache *cache_of(int thread) {
    void *cache;
    memcpy(&cache, model.threads[thread].locals + ((uintptr_t)&own - (uintptr_t)__start_front_locals),
           sizeof cache);
    return cache;
}

/* mallocng's lock: who asks for pages of a group has it. What else mallocng does takes no time here. */
volatile int __malloc_lock[1];

static void *map_pages(size_t count) {
    uint64_t mask;
    void *const start =
        __brawn_map_pages(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        model_fail("there are places left, and no pages");
    }
    uint64_t *const held = held_at(start, count * PAGE, &mask);
    if ((*held & mask) != 0) {
        model_fail("pages that are in use are given to another");
    }
    *held |= mask;
    return start;
}

void *front_map_pages(size_t count) {
    __brawn_lock(__malloc_lock);
    void *const start = map_pages(count);
    __brawn_unlock(__malloc_lock);
    return start;
}

void *front_map_run(size_t count) {
    want_pages(CLASS_OF_MAPPINGS);
    void *const start = map_pages(count);
    want_pages(0);
    model_step(place_held); /* while they are in use */
    return start;
}

void front_maps(const void *meta, size_t size, bool come) {
    if (meta_class(meta) == CLASS_OF_MAPPINGS) {
        (come ? recent_grow : recent_shrink)(size);
    }
}

/* More pages than the system has. */
void front_map_too_many(void) {
    __brawn_lock(__malloc_lock);
    if (__brawn_map_pages(NULL, (size_t)31 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
        MAP_FAILED) {
        model_fail("pages that the system does not have");
    }
    __brawn_unlock(__malloc_lock);
}

void front_unmap_pages(void *start, size_t count) {
    uint64_t mask;
    uint64_t *const held = held_at(start, count * PAGE, &mask);
    *held &= ~mask;
    __brawn_unmap_pages(start, count * PAGE);
}

/* At rest, what is not mallocng's can be taken, and what is kept is known to be. */
static void see_pages(bool at_rest) {
    size_t dirty = 0, held = 0;
    for (uint32_t at = 0; at < CHUNKS && at_rest; at++) {
        if (pages.first.base[at] == 0) {
            continue;
        }
        const uint64_t owned = place_held[(pages.first.base[at] - (uintptr_t)places) / PLACE_SIZE];
        const uint64_t used = pages.first.chunks[at].used[0] & ~table_mask(0),
                       kept = pages.first.chunks[at].dirty[0];
        if (model.in_child ? (owned & ~used) != 0 : used != owned) {
            model_fail("a page is lost, or in use and free");
        }
        if ((kept & used) != 0) {
            model_fail("a page is kept while it is in use");
        }
        dirty += (size_t)__builtin_popcountll(kept);
        held += (size_t)__builtin_popcountll(owned);
    }
    for (size_t at = 0; at < PLACES && at_rest; at++) {
        const bool has_one = has_table(places + at * PLACE_SIZE);
        if (has_one ? !place_is_mapped[at] : place_is_mapped[at] && !model.in_child) {
            model_fail("a chunk has no table, or is gone and has one");
        }
    }
    if (at_rest && (dirty != pages.dirty || pages.purging != 0)) {
        model_fail("kept pages are counted wrong, or no one can purge any more");
    }
    if (at_rest && !model.in_child &&
        (held * PAGE + large.in_use != recent.in_use || dirty > PURGE_REST * pages_bound())) {
        model_fail("pages in use are counted wrong, or too many are kept");
    }
}

#ifdef SLABS

/* A slot that is free is in no list and no one's; one that is not is in one place. */
static void see_slot(const unsigned char *block, bool free, const bool *seen) {
    const int number = front_number(block);
    const bool elsewhere = seen[number] || model.places[number] == IN_PROGRAM;
    if (free ? elsewhere : !elsewhere && !model.in_child) {
        model_fail(free ? "a free slot is in a list, or in use" : "a slot is lost");
    }
}

static bool is_listed(const struct slab *list, const struct slab *slab) {
    while (list != NULL && list != slab) {
        list = list->next;
    }
    return list != NULL;
}

static void see_pieces(const struct slab *slab, const bool *seen) {
    for (unsigned at = 0; at < PIECES; at++) {
        const unsigned class = slab->piece_class[at] - 1u;
        if (class < SMALL_SIZES) {
            for (unsigned slot = 0;
                 slot * class_bytes(class) + class_bytes(class) <= piece_count(class_bytes(class)) * PIECE;
                 slot++) {
                see_slot(slab_start(slab) + at * PIECE + slot * class_bytes(class),
                         slab->piece_free[at] >> slot & 1, seen);
            }
        }
    }
    if (!is_listed(slabs.of_pieces, slab) && !model.in_child) {
        model_fail("a page of pieces is lost");
    }
}

static void see_slab(const struct slab *slab, const bool *seen) {
    unsigned count = 0;
    for (unsigned slot = 0; slot < slab->slots; slot++) {
        const bool free = slab->free[slot / 64] >> slot % 64 & 1;
        count += free;
        see_slot(slab_start(slab) + slot * class_bytes(slab->class), free, seen);
    }
    if (count != slab->free_count ||
        (is_listed(slabs.free[slab->class], slab) != (count > 0) && !model.in_child)) {
        model_fail("the free slots of a slab are counted wrong, or it is lost");
    }
    if (count == slab->slots && !model.in_child) {
        model_fail("a slab without a block in use is still there");
    }
}

static void see_list_of_slabs(const struct slab *list, unsigned told) {
    for (const struct slab *slab = list; slab != NULL; slab = slab->next) {
        if (page_told(slab_start(slab)) != told || (slab->next != NULL && slab->next->previous != slab)) {
            model_fail("a list of slabs has something that is none of its class");
        }
    }
}

/* Slabs own their pages, as mallocng owns those that it maps. */
static void see_slabs(const bool *seen, bool own) {
    see_list_of_slabs(slabs.of_pieces, OF_PIECES);
    for (unsigned class = 0; class < SIZES; class++) {
        see_list_of_slabs(slabs.free[class], class + 1);
    }
    for (int place = 0; place < PLACES; place++) {
        if (!place_is_mapped[place]) {
            continue;
        }
        const union chunk_head *const head = head_of(places + place * PLACE_SIZE);
        for (unsigned page = HEAD_PAGES; page < PLACE_PAGES; page++) {
            const unsigned told = head->told[page];
            if (told == 0) {
                continue;
            }
            const uint64_t bit = (uint64_t)1 << page;
            place_held[place] = own ? place_held[place] | bit : place_held[place] & ~bit;
            if (own && told == OF_PIECES) {
                see_pieces(&head->slabs[page], seen);
            } else if (told == INSIDE) {
                continue;
            } else if (told > SMALL_SIZES && alone_pages(told - 1) != 0) {
                if (own) {
                    see_slot((const unsigned char *)head + page * PAGE, false, seen);
                }
            } else if (own && (page == HUGE_PAGE || head->slabs[page].before == 0) && page <= HUGE_PAGE) {
                see_slab(&head->slabs[page], seen);
            }
        }
    }
}

#else

static void see_slabs(const bool *seen, bool own) {
    (void)seen, (void)own;
}

#endif

/* Everything that is kept, block by block. At rest no block may be anywhere else. */
void front_check(bool at_rest) {
    bool seen[MODEL_BLOCKS] = {false};
    const size_t bound = pool_bound();
    size_t mapped = 0;
    for (int thread = 0; thread < MODEL_THREADS; thread++) {
        if (model.threads[thread].exists && !model.threads[thread].lost) {
            see_cache(cache_of(thread), seen);
        }
    }
    for (unsigned number = 0; number < POOLS; number++) {
        const size_t bytes = see_pool(&pools[number], seen);
        if (at_rest && bytes != pools[number].bytes) {
            model_fail("the bytes of a pool are counted wrong");
        }
        if (at_rest && bytes > bound) {
            model_fail("more bytes lie in a pool than may");
        }
    }
    if (at_rest) {
        see_slabs(seen, true);
    }
    see_pages(at_rest);
    if (at_rest) {
        see_slabs(seen, false);
    }
    for (uint32_t at = 0; at < large.count; at++) {
        see(large.entries[at].block, seen);
        mapped += large.entries[at].capacity;
    }
    if (mapped != large.bytes || mapped > large_bound()) {
        model_fail("the bytes of kept mappings are counted wrong, or too many");
    }
    if (!at_rest) {
        return;
    }
    groups_check();
    for (int number = 0; number < MODEL_SLABS_FROM; number++) {
        if (model.places[number] == IN_FRONT && !seen[number] && !model.in_child) {
            model_fail("a block is lost");
        }
    }
}

/* What is only ever counted tells states apart that are not different. */
void front_forget_statistics(void) {
    memset(&counters, 0, sizeof counters);
    for (unsigned number = 0; number < POOLS; number++) {
        pools[number].chains_taken = pools[number].chains_given = pools[number].blocks_taken = 0;
    }
}

bool front_locks_are_free(void) {
#ifdef SLABS
    if (slabs.lock != 0) {
        return false;
    }
#endif
    uint32_t held = large.lock | (uint32_t)__malloc_lock[0] | library_keys | library_lock;
    for (unsigned number = 0; number < POOLS; number++) {
        held |= pools[number].lock;
    }
    return held == 0;
}

void __malloc_atfork(int who) {
    who < 0 ? __brawn_lock(__malloc_lock) : __brawn_unlock(__malloc_lock);
}

/* As musl's fork does. */
void front_forks_(int who) {
#ifdef FLAW_FORGETS_FORK
    (void)who;
#else
    if (who < 0) {
        __ldso_atfork(who);
        lock_take_always(&library_keys);
        lock_take_always(&library_lock);
        __brawn_atfork(who);
    } else {
        __brawn_atfork(who);
        lock_give_always(&library_lock);
        lock_give_always(&library_keys);
        __ldso_atfork(who);
    }
#endif
}

void front_library_locks(bool take) {
    take ? lock_take_always(&library_lock) : lock_give_always(&library_lock);
}

unsigned front_refill(void **blocks, unsigned wanted) {
    struct bin bin = {.size = (uint16_t)wanted, .room = (uint16_t)wanted};
    void *const other = bin_refill(&bin, MODEL_SHARED_CLASS);
    unsigned count = 0;
    if (other != NULL) { /* memory was short, and one was there when it had asked again */
        blocks[count++] = other;
    }
    while (bin.head != NULL) {
        blocks[count++] = bin_pop(&bin);
    }
    return count;
}

void front_give_list(void *const *blocks, unsigned count) {
    struct chain chain = {NULL, count};
    for (unsigned at = count; at-- > 0;) {
        block_mark(blocks[at], header_of(blocks[at]).index);
        list_link(blocks[at], chain.head);
        chain.head = blocks[at];
    }
    chain_give(chain);
}

/* As musl runs the destructors of a thread's keys. */
void front_thread_ends_(void) {
    for (int round = 0; round < 4 && model.threads[model.current].specific != NULL; round++) {
        void *const value = model.threads[model.current].specific;
        model.threads[model.current].specific = NULL;
        thread_ends(value);
    }
}

bool front_is_threaded(void) {
    return threads_exist();
}

void front_start_threads(int count) {
    __libc.need_locks = 1;
    __libc.threads_minus_1 = count - 1;
#ifndef SLABS
    tag_set(backend_chunk(0));
    tag_set(backend_chunk(1));
#endif
}
