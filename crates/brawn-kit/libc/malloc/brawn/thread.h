/* What a thread keeps for itself: for each small class a list that it allocates from and frees into, and full
 * ones in reserve. A list holds up to `size` blocks and changes hands as a whole, in one short lock (the
 * magazines of Bonwick and Adams, 2001). `size` starts at one and doubles with every visit to the slow path:
 * a thread that frees ten blocks keeps ten, not a page of them.
 *
 * The reserve is there because of cache lines. A line holds several small blocks, and where those lie in the
 * lists of two threads, both wait for it whenever one has written to it. Lists that threads pass to and fro
 * mix their blocks more and more; so a thread that gives lists away and comes back for as many is let keep
 * them, and one that only frees is not (docs/log/heap.md).
 *
 * What that can be at most is in docs/explain/heap.md. */
#ifndef BRAWN_THREAD_H
#define BRAWN_THREAD_H

#include <pthread.h>

#include "../kit.h"
#include "pages.h"
#include "quarantine.h"
#include "slabs.h"

enum {
    MAGAZINE_BYTES = 8192,    /* of one list, for few threads */
    MAGAZINE_CROWDED = 4096,  /* and for many: see `crowd_share` */
    MAGAZINE_SMALLEST = 4,    /* blocks of one list, however large they are */
    MAGAZINE_LARGEST = 128,   /* and however small */
    SPARES = 128,             /* full lists that a thread has in reserve, of all classes */
    SPARE_BASE = 16 << 10,    /* bytes of them, whatever the thread does */
    SPARE_BYTES = 448 << 10,  /* and so many more, beside few others, if it comes back for them */
    MEDIUM_BYTES = 256 << 10, /* of medium blocks in lists */
    MEDIUM_REFUSED = 4 << 20, /* bytes for which there was no room: see `medium_refuse` */
    RUN_BYTES = 4096,         /* of neighbouring blocks that a thread takes at once, beside few others */
    RUN_CROWDED = 1024,       /* beside many */
    UPKEEP_INTERVAL = 100,    /* milliseconds */
    UPKEEP_ROUNDS = 10, /* after which pages and mappings have their turn, which are dear to get again */
    UPKEEP_VISITS = 64, /* visits to the slow path between two looks at the clock */
};

/* Bytes of lists of one class, and of first runs, that there are for each processor, whatever the number of
 * threads: see `crowd_share`. Checks of the front end alone set them to 0. */
#ifndef MAGAZINE_CROWD
#define MAGAZINE_CROWD ((size_t)64 << 10)
#define RUN_CROWD ((size_t)8 << 10)
#define SPARE_CROWD ((size_t)8 * SPARE_BYTES)
#define MEDIUM_CROWD ((size_t)MEDIUM_BYTES)
#endif

/* A thread has a cache from here to there. musl counts its threads itself; guest.h counts caches. */
#ifndef CACHES_CHANGE
#define CACHES_CHANGE(by) ((void)0)
#endif

struct bin {
    void *head;
    uint32_t room; /* blocks that `head` may still take; it holds `size` less so many */
    uint16_t size;
    uint16_t seen; /* of `head`, when the thread last looked for lists that it does not use */
};

/* A full list in reserve. */
struct spare {
    void *head;
    uint16_t count;
    uint16_t class;
};

struct cache {
    struct bin bins[SIZES];
    uint32_t medium_room;    /* bytes by which lists of medium blocks may still become longer */
    uint32_t medium_size;    /* by which they did */
    uint32_t medium_refused; /* by which they could not, since the thread looked which of them it uses */
    uint32_t spare_count;
    uint32_t spare_bytes;
    uint32_t spare_more; /* bytes that it may have beyond SPARE_BASE: what it gave away and came back for */
    uint32_t given;      /* bytes given away since it last came for more */
    uint32_t visits;
    uint64_t since;  /* when it last looked */
    bool registered; /* whether the end of the thread will be heard of */
    bool ending;     /* whether destructors have begun to run */
#ifdef BRAWN_HARDENED
    struct quarantine quarantine;
#endif
    struct spare spares[]; /* SPARES of them, of which the first `spare_count` count */
};

/* Both never change: with nothing to give and no room, they send everything down the slow path. */
static const struct cache cache_none;   /* the thread has not begun */
static const struct cache cache_closed; /* the thread is ending, or cannot have one */

static __thread struct cache *own = (struct cache *)&cache_none;

/* The thread's own list of a class, its address in one register: where a load and the store before it name
 * memory in the same plain way, and not by 16 bits, processors since 2021 pass the value on without delay.
 * `room` and `head` then cost a pair of malloc and free 3 ns less, of 5.6. */
static inline struct bin *bin_of(unsigned class) {
    struct bin *bin = &own->bins[class];
    __asm__("" : "+r"(bin));
    return bin;
}

static _Atomic(uint32_t) key_state; /* 0: none yet, 1: being made, 2: there, 3: there is none to be had */
static pthread_key_t key;
static _Atomic(uint64_t) last_upkeep;

/* What one of the threads may have of something of which there is `crowd` for each processor: more helps
 * while threads run at the same time, and costs memory with each. */
static SLOW size_t crowd_share(size_t crowd, size_t most, size_t least) {
    const size_t threads = (size_t)(unsigned)__libc.threads_minus_1 + 1;
    const size_t many = pools_in_use() == 0 ? 1 : pools_in_use();
    const size_t share = crowd * many / threads;
    return share > most ? most : share < least ? least : share;
}

static inline size_t magazine_bytes(void) {
    return crowd_share(MAGAZINE_CROWD, MAGAZINE_BYTES, MAGAZINE_CROWDED);
}

static RARE uint16_t magazine_size(unsigned class) {
    const size_t blocks = magazine_bytes() / class_bytes(class);
    return blocks < MAGAZINE_SMALLEST  ? MAGAZINE_SMALLEST
           : blocks > MAGAZINE_LARGEST ? MAGAZINE_LARGEST
                                       : (uint16_t)blocks;
}

#ifdef BRAWN_HARDENED
static void quarantine_empty(struct quarantine *quarantine);
#endif

/* Bytes of medium blocks that a thread may keep. */
static inline size_t medium_share(void) {
    return kept(crowd_share(MEDIUM_CROWD, MEDIUM_BYTES, 0));
}

/* Up to eight threads for each processor may have a reserve: of more, most wait. */
static inline size_t spare_bound(void) {
    return crowd_share(SPARE_CROWD, SPARE_BYTES, 0) < SPARE_BYTES ? 0 : SPARE_BYTES;
}

/* A list in reserve, or none. */
static SLOW struct chain spare_take(struct cache *cache, unsigned class) {
    for (uint32_t at = cache->spare_count; at-- > 0;) {
        const struct spare spare = cache->spares[at];
        if (spare.class == class) {
            cache->spares[at] = cache->spares[--cache->spare_count];
            cache->spare_bytes -= spare.count * (uint32_t)class_bytes(class);
            return (struct chain){spare.head, spare.count};
        }
    }
    return (struct chain){NULL, 0};
}

/* Fills an empty list. */
static SLOW void bin_fill(struct bin *bin, struct chain chain) {
    bin->head = chain.head;
    bin->room = bin->size - chain.count;
}

/* All that is in a list. */
static SLOW struct chain bin_drain(struct bin *bin) {
    const struct chain all = {bin->head, bin->size - bin->room};
    bin_fill(bin, (struct chain){NULL, 0});
    return all;
}

/* The same of a medium class, whose list has to earn its length anew. */
static RARE struct chain medium_drain(struct cache *cache, unsigned class) {
    struct bin *const bin = &cache->bins[class];
    const struct chain all = bin_drain(bin);
    const uint32_t bytes = bin->size * (uint32_t)class_bytes(class);
    cache->medium_size -= bytes;
    cache->medium_room += bytes;
    bin->size = bin->room = 0;
    return all;
}

static RARE void cache_give_all(struct cache *cache) {
#ifdef BRAWN_HARDENED
    quarantine_empty(&cache->quarantine);
#endif
    for (unsigned class = 0; class < SMALL_SIZES; class ++) {
        depot_give(class, bin_drain(&cache->bins[class]));
        struct chain spare;
        while ((spare = spare_take(cache, class)).head != NULL) {
            depot_give(class, spare);
        }
    }
    for (unsigned class = SMALL_SIZES; class < SIZES; class ++) {
        shelf_give(class, medium_drain(cache, class));
    }
}

static void *class_take(unsigned class);

enum { CACHE_BYTES = sizeof(struct cache) + SPARES * sizeof(struct spare) };

/* Zeroed, as far as anyone reads it. */
static RARE struct cache *cache_make(void) {
#ifdef BRAWN_ALONE
    struct cache *const cache = class_take(class_of(CACHE_BYTES));
#else
    struct cache *const cache = __libc_malloc_impl(CACHE_BYTES);
#endif
    return cache == NULL ? NULL : memset(cache, 0, sizeof *cache);
}

static RARE void cache_free(struct cache *cache) {
#ifdef BRAWN_ALONE
    unsigned class;
    if (slab_look(cache, &class)) {
        block_give(cache);
        return;
    }
#endif
    __libc_free(cache);
}

/* The destructor of the thread's key. Destructors of other keys, among them those of Rust's thread-locals,
 * run in the same round and free much; so the cache stays for one round more. Whatever happens after that
 * goes to its slab directly, and nothing is left behind. */
static RARE void thread_ends(void *value) {
    struct cache *const cache = value;
    if (!cache->ending) {
        cache->ending = true;
        if (pthread_setspecific(key, cache) == 0) {
            return;
        }
    }
    own = (struct cache *)&cache_closed;
    cache_give_all(cache);
    cache_free(cache);
    CACHES_CHANGE(-1);
}

/* Makes the one key. A program that never has a second thread never gets here, so it costs such a program
 * nothing, and one of the 128 keys is taken only where threads end. */
static COLD bool key_exists(void) {
    uint32_t state = atomic_load_explicit(&key_state, memory_order_acquire);
    while (state < 2) {
        if (state == 0 && atomic_compare_exchange_strong(&key_state, &state, 1)) {
            state = pthread_key_create(&key, thread_ends) == 0 ? 2 : 3;
            atomic_store_explicit(&key_state, state, memory_order_release);
        } else {
            KERNEL_SYSCALL(SYS_sched_yield);
            state = atomic_load_explicit(&key_state, memory_order_acquire);
        }
    }
    return state == 2;
}

static SLOW void cache_register(struct cache *cache) {
    cache->registered = key_exists() && pthread_setspecific(key, cache) == 0;
}

/* The first visit of a thread. While there is one thread, it is the main one as a rule, and need not be heard
 * of when it ends; if it is not, it registers when there are more. */
static COLD struct cache *cache_start(void) {
    if (__atomic_load_n(&secrets.list, __ATOMIC_RELAXED) == 0) {
        secrets_start();
    }
    struct cache *const cache = KERNEL_CALL(cache_make()); /* also for free */
    if (cache == NULL) {
        return NULL;
    }
    kit_keep_marker();
    if (threads_exist()) {
        cache_register(cache);
        if (!cache->registered) {
            cache_free(cache);
            return own = (struct cache *)&cache_closed;
        }
    }
    cache->medium_room = (uint32_t)medium_share();
    CACHES_CHANGE(1);
    return own = cache;
}

/* Enough of an address to tell lists of one class apart. */
static inline uint16_t bin_look(const struct bin *bin) {
    return (uint16_t)((uintptr_t)bin->head / UNIT);
}

/* Lists of medium blocks that the thread has not used since the last time make room for others, and all do if
 * there are so many threads by now that it has to keep less. */
static RARE void medium_upkeep(struct cache *cache) {
    const size_t share = medium_share();
    const bool all = cache->medium_size > share;
    for (unsigned class = SMALL_SIZES; class < SIZES; class ++) {
        struct bin *const bin = &cache->bins[class];
        if (all || bin_look(bin) == bin->seen) {
            shelf_give(class, medium_drain(cache, class));
        }
        bin->seen = bin_look(bin);
    }
    cache->medium_room = (uint32_t)share - cache->medium_size;
    cache->medium_refused = 0;
}

/* Lists of this thread that look as they did a while ago go back: a few blocks of yesterday's
 * size can keep a page each. Not those of the class that it is at. */
static RARE void small_upkeep(struct cache *cache, unsigned busy) {
    for (unsigned class = 0; class < SMALL_SIZES; class ++) {
        struct bin *const bin = &cache->bins[class];
        if (bin_look(bin) == bin->seen && class != busy) {
            chain_give(bin_drain(bin));
            struct chain spare;
            while ((spare = spare_take(cache, class)).head != NULL) {
                chain_give(spare);
            }
        }
        bin->seen = bin_look(bin);
    }
}

/* The program has taken another chunk: before it takes one more, it gets what lies unused since the last. A
 * program that only grows would have all of that on top of its peak. */
static COLD void growth(struct cache *cache, unsigned busy, uint64_t time) {
    small_upkeep(cache, busy);
    shared_release(false);
    large_growth(time);
}

/* Gives back what lies unused. */
static RARE void upkeep(struct cache *cache, unsigned busy) {
    const uint64_t time = now();
    uint64_t last = atomic_load_explicit(&last_upkeep, memory_order_relaxed);
    if (atomic_exchange_explicit(&pages.grown, 0, RELAXED) != 0) {
        growth(cache, busy, time);
    }
    if (time - cache->since >= UPKEEP_INTERVAL) {
        cache->since = time;
        medium_upkeep(cache);
        small_upkeep(cache, busy);
    }
    if (time - last < UPKEEP_INTERVAL ||
        !atomic_compare_exchange_strong_explicit(&last_upkeep, &last, time, memory_order_relaxed,
                                                 memory_order_relaxed)) {
        return;
    }
    recent_decay();
    pages_decay();
    shared_release(false);
    size_t rest = SIZE_MAX;
    if (COUNT(upkeeps, 1) % UPKEEP_ROUNDS == 0) {
        large_upkeep(time);
        rest = 0;
    }
    pages_purge(pages_bound(), rest);
}

/* Every visit to the slow path, for this class, of a thread that has a cache. */
static SLOW void cache_visit(struct cache *cache, unsigned class) {
    if (unlikely(!cache->registered && threads_exist())) {
        cache_register(cache);
    }
    const bool due = ++cache->visits % UPKEEP_VISITS == 0;
    if (unlikely(due || atomic_load_explicit(&pages.grown, RELAXED) != 0)) {
        upkeep(cache, class);
    }
}

/* The same for a large block, of a thread that may have none. */
static RARE void large_visit(void) {
    if (own != &cache_none && own != &cache_closed) {
        cache_visit(own, SIZES);
    }
}

/* Lets the list of a class become longer, up to its bound. */
static RARE void bin_grow(struct bin *bin, unsigned class, uint16_t to) {
    const uint16_t largest = magazine_size(class);
    const uint16_t size = to < largest ? to : largest;
    if (size > bin->size) {
        bin->room += size - bin->size;
        bin->size = size;
    }
}

/* How many blocks a thread takes at first. Blocks of two threads in one cache line make both slow, and who
 * takes one block at a time beside other threads gets every other one; so there, it is a few lines' worth. */
static inline uint16_t bin_first_size(unsigned class) {
    return threads_exist()
               ? (uint16_t)(1 + crowd_share(RUN_CROWD, RUN_BYTES, RUN_CROWDED) / class_bytes(class))
               : 1;
}

/* Not said to be without return: so it is the end of a function, which then needs no stack before. */
static COLD void *bin_is_damaged(void) {
    die("a free block was written to");
}

#ifdef SLABS

static inline void *bin_pop(struct bin *bin) {
    void *const block = bin->head;
    const volatile uint64_t *const words = block; /* one by one, as they were written: see `bin_push` */
    const uint64_t turn = list_turn(block), next = words[0] ^ turn;
    if (unlikely(((words[1] ^ ~turn) | list_link_is_unsound(next)) != 0)) {
        return bin_is_damaged();
    }
    bin->head = (void *)(uintptr_t)next;
    __builtin_prefetch(bin->head, 1); /* the next malloc writes to it */
    bin->room++;
    block_take_all(block, 0);
    return block;
}

static inline void bin_push(struct bin *bin, void *block, unsigned index) {
    (void)index;
    const uint64_t turn = list_turn(block);
    /* Not by 16 bytes at a time: a load of both would wait for stores of one that have not left the
     * processor's store buffer (pairs of malloc and free took three times as long). */
    volatile uint64_t *const words = block;
    words[0] = (uint64_t)(uintptr_t)bin->head ^ turn;
    words[1] = ~turn;
    bin->head = block;
    bin->room--;
}

#else

static inline void *bin_pop(struct bin *bin) {
    unsigned char *const block = bin->head;
    const uint64_t next = list_link_of(block);
    const unsigned index = block_marked(block);
    if (unlikely(!list_link_is_sound(next) || index > 31)) {
        return bin_is_damaged();
    }
    bin->head = (void *)(uintptr_t)next;
    __builtin_prefetch(bin->head, 1); /* the next malloc writes to its header */
    bin->room++;
    block_take_all(block, index);
    return block;
}

static inline void bin_push(struct bin *bin, void *block, unsigned index) {
    block_mark(block, index);
    list_link(block, bin->head);
    bin->head = block;
    bin->room--;
}

#endif

static inline void chain_append(struct chain *chain, void *last, void *block, unsigned index) {
    block_mark(block, index);
    list_link(block, NULL);
    if (last == NULL) {
        chain->head = block;
    } else {
        list_link(last, block);
    }
    chain->count++;
}

/* Memory is short: whatever this thread and all of them have in store goes back. */
static COLD bool release_all(void) {
    struct cache *const cache = own;
    if (cache != &cache_none && cache != &cache_closed) {
        cache_give_all(cache);
    }
    bool any = shared_release(true);
    any |= large_release(UINT64_MAX);
    return pages_purge(0, 0) || any;
}

static RARE void *backend_malloc(size_t size) {
    void *block = __libc_malloc_impl(size);
    if (unlikely(block == NULL) && size <= PTRDIFF_MAX - PAGE && release_all()) {
        block = __libc_malloc_impl(size);
    }
    return block;
}

/* One block of this class, which was in no list. */
static RARE void *class_take(unsigned class) {
#ifdef SLABS
    const unsigned pages = class < SMALL_SIZES ? 0 : alone_pages(class);
    if (pages != 0) {
        void *block = alone_take(class, pages);
        if (unlikely(block == NULL) && release_all()) {
            block = alone_take(class, pages);
        }
        if (likely(block != NULL)) {
            block_take_all(block, 0);
            return block;
        }
        return backend_malloc(class_bytes(class));
    }
    struct taken taken;
    if (likely(slots_take(class, 1, &taken) || (release_all() && slots_take(class, 1, &taken)))) {
        unsigned slot = 0;
        for (unsigned word = 0; word < SLAB_WORDS; word++) {
            if (taken.slots[word] != 0) {
                slot = 64 * word + (unsigned)__builtin_ctzll(taken.slots[word]);
            }
        }
        void *const block = taken.start + slot * class_bytes(class);
        slot_is_whole(&taken, slot, block);
        block_take_all(block, 0);
        return block;
    }
    return backend_malloc(class_bytes(class));
#else
    return backend_malloc(class_request(class));
#endif
}

#ifdef SLABS

/* Appends what was taken to a list, in rising order: what a program makes one after the other it often
 * reads so, too. Answers with the last. */
static SLOW void *append_taken(struct chain *chain, void *last, unsigned class, const struct taken *taken) {
    const size_t bytes = class_bytes(class);
    for (unsigned word = 0; word < SLAB_WORDS; word++) {
        for (uint64_t slots = taken->slots[word]; slots != 0; slots &= slots - 1) {
            const unsigned slot = 64 * word + (unsigned)__builtin_ctzll(slots);
            void *const block = taken->start + bytes * slot;
            slot_is_whole(taken, slot, block);
            chain_append(chain, last, block, 0);
            last = block;
        }
    }
    return last;
}

/* Takes blocks for a whole list from slabs. Answers with a block of mallocng's, which is no good for the
 * list, if there is no other. */
static SLOW void *bin_refill(struct bin *bin, unsigned class) {
    struct chain chain = {NULL, 0};
    void *last = NULL;
    struct taken taken;
    while (chain.count < bin->size && slots_take(class, bin->size - chain.count, &taken)) {
        last = append_taken(&chain, last, class, &taken);
    }
    bin_fill(bin, chain);
    COUNT(refills, 1);
    COUNT(refilled_blocks, chain.count);
    return bin->head != NULL ? NULL : class_take(class);
}

#else

/* Takes blocks for a whole list from mallocng, with each the free slots beside it. Answers with a block
 * that is no good for the list, if there is no other. */
static SLOW void *bin_refill(struct bin *bin, unsigned class) {
    const size_t request = class_request(class);
    unsigned wanted = bin->size;
    void *other = NULL, *last = NULL;
    struct chain chain = {NULL, 0};
    while (wanted > 0) {
        void *const block = __libc_malloc_impl(request);
        if (block == NULL) {
            break;
        }
        const struct header header = header_of(block);
        struct meta *const meta = group_at(block, header.offset)->meta;
        if (meta_class(meta) != class) {
            /* mallocng takes a slot of a coarser class while a class is young. */
            if (chain.head == NULL) {
                other = block;
            } else {
                __libc_free(block);
            }
            break;
        }
        uint32_t slots = slots_take(meta, wanted - 1) | (uint32_t)1 << header.index;
        /* Used in rising order: what a program makes one after the other it often reads so, too. */
        for (; slots != 0; wanted--) {
            const unsigned index = (unsigned)__builtin_ctz(slots);
            slots &= slots - 1;
            void *const slot = slot_begin(meta, index);
            class_enter(slot, meta, index, class);
            chain_append(&chain, last, slot, index);
            last = slot;
        }
    }
    bin_fill(bin, chain);
    COUNT(refills, 1);
    COUNT(refilled_blocks, chain.count + (other != NULL));
    return bin->head != NULL || other != NULL ? other : backend_malloc(request);
}

#endif

/* What the thread has for itself, or NULL: it has nothing any more. */
static inline struct cache *cache_own(void) {
    struct cache *const cache = unlikely(own == &cache_none) ? cache_start() : own;
    return unlikely(cache == &cache_closed) ? NULL : cache;
}

/* A medium block of one of so many classes, each rather larger than needed than from a slab. */
static SLOW void *medium_miss(unsigned class, unsigned classes) {
    void *const block = shelf_take(class, classes);
    if (likely(block != NULL)) {
        return block;
    }
    COUNT(medium_misses, 1);
    struct cache *const cache = cache_own();
    if (likely(cache != NULL)) {
        cache_visit(cache, class);
    }
    return class_take(class);
}

/* There is no block of this class in the thread's own list. */
static SLOW void *small_miss(unsigned class) {
    struct cache *const cache = cache_own();
    if (unlikely(cache == NULL)) {
        return class_take(class);
    }
    cache_visit(cache, class);
    struct bin *const bin = &cache->bins[class];
    struct chain chain = spare_take(cache, class);
    if (chain.head == NULL) {
        const size_t bound = spare_bound();
        cache->spare_more += cache->given;
        cache->given = 0;
        if (cache->spare_more > bound) {
            cache->spare_more = (uint32_t)bound;
        }
        chain = depot_take(class);
    }
    void *other = NULL;
    if (chain.head != NULL) {
        bin_grow(bin, class, (uint16_t)chain.count);
        bin_fill(bin, chain);
    } else {
        bin_grow(bin, class, bin->size == 0 ? bin_first_size(class) : bin->size * 2);
        other = bin_refill(bin, class);
    }
    return other != NULL || bin->head == NULL ? other : bin_pop(bin);
}

/* The list of a medium class has no room for so many bytes more. Whether it has now: when it and others had to
 * refuse that much, those that the thread does not use are no good. */
static RARE bool medium_refuse(uint32_t bytes) {
    struct cache *const cache = cache_own();
    if (cache == NULL) {
        return false;
    }
    cache->medium_refused += bytes;
    if (cache->medium_refused >= MEDIUM_REFUSED) {
        medium_upkeep(cache);
    }
    return cache->medium_room >= bytes;
}

/* The thread's own list of this medium class is full. It becomes longer by one block, while there is room. */
static SLOW void medium_overflow(unsigned class, void *block, unsigned index) {
    const uint32_t bytes = (uint32_t)class_bytes(class);
    if (own->medium_room >= bytes || medium_refuse(bytes)) {
        struct bin *const bin = bin_of(class);
        own->medium_room -= bytes;
        own->medium_size += bytes;
        bin->size++;
        bin->room++;
        bin_push(bin, block, index);
        return;
    }
    block_mark(block, index);
    shelf_give(class, (struct chain){block, 1});
}

/* The same of a small class. */
static SLOW void small_overflow(unsigned class, void *block, unsigned index) {
    struct cache *const cache = cache_own();
    if (unlikely(cache == NULL)) {
#ifdef SLABS
        (void)index;
        block_give(block);
#else
        class_leave(block, class);
        block_take_all(block, index);
        __libc_free(block);
#endif
        return;
    }
    cache_visit(cache, class);
    struct bin *const bin = &cache->bins[class];
    const uint16_t largest = magazine_size(class);
    if (bin->size < largest) {
        bin_grow(bin, class, bin->size == 0 ? 1 : bin->size * 2);
        bin_push(bin, block, index);
        return;
    }
    const uint32_t bytes = bin->size * (uint32_t)class_bytes(class);
    if (cache->spare_count < SPARES && cache->spare_bytes + bytes <= SPARE_BASE + cache->spare_more) {
        cache->spares[cache->spare_count++] = (struct spare){bin->head, bin->size, (uint16_t)class};
        cache->spare_bytes += bytes;
    } else {
        cache->given += bytes;
        depot_give(class, (struct chain){bin->head, bin->size});
    }
    bin_fill(bin, (struct chain){NULL, 0});
    bin_push(bin, block, index);
}

#endif
