/* mallocng's place: a few blocks of each class, each a group of its own, so that all of the front's checks
 * pass. It takes no time: a call is part of the step in which it happens. It answers with the lowest free
 * block, so that its choice adds no states, and insists that every block that comes back was out. One class
 * has groups of several slots, which take their time: groups.c. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "backend.h"

enum { SMALL = 20, MAPPING_PAGES = 50, MAPPINGS = 4, CHUNK = 64 * 4096, TABLE = 2 * 4096 };

const uint16_t __malloc_size_classes[CLASSES] = {
    1,   2,   3,   4,    5,    6,    7,    8,    9,    10,   12,   15,   18,   20,   25,   31,
    36,  42,  50,  63,   72,   84,   102,  127,  146,  170,  204,  255,  292,  340,  409,  511,
    584, 682, 818, 1023, 1169, 1364, 1637, 2047, 2340, 2730, 3276, 4095, 4680, 5460, 6552, 8191,
};

struct malloc_context {
    uint64_t secret;
} __malloc_context = {0x5ec4e7};

struct page {
    uint64_t secret;
    struct meta metas[MODEL_SLABS_FROM];
    struct meta groups[GROUPS];
};

static struct page *const page = (struct page *)0x200000000000;
/* Chunks with tables, whose tags are not at one place, nor at those of the chunks that front.c maps. */
static unsigned char *const blocks = (unsigned char *)0x210000000000 + 4 * CHUNK;
static unsigned char *const groups = (unsigned char *)0x210000000000 + 5 * CHUNK + ((size_t)32 << 20);
static unsigned char *starts[MODEL_BLOCKS];
static size_t capacities[MODEL_BLOCKS];
static int count;
static int caches; /* the first ones are for what a thread keeps of its own, and matter in full */

/* What of other blocks can change: the header, the link, and the bytes at the end of the slot. */
enum { BEFORE = 8, LINK = 16, END = 8 };

static size_t kept(int number) {
    return number < caches ? capacities[number] - END : LINK;
}

static void add(unsigned class, size_t units, size_t pages) {
    static unsigned char *next;
    next = count == 0 ? blocks + TABLE : next;
    struct group *const group = (struct group *)next;
    struct meta *const meta = &page->metas[count];
    *meta = (struct meta){NULL, NULL, group, 1, 0, (uint64_t)class << 6 | 1 << 5 | (uint64_t)pages << 12};
    group->meta = meta;
    starts[count] = group->storage;
    capacities[count] = UNIT * units - 4;
    next += (UNIT * units + UNIT + 4095) / 4096 * 4096;
    count++;
}

/* The classes that scenarios use: small ones, medium ones, and mappings. */
void backend_start(size_t small_blocks) {
    static bool mapped;
    if (!mapped) {
        const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
        if (mmap(page, 8192, PROT_READ | PROT_WRITE, flags, -1, 0) != page ||
            mmap(blocks, (size_t)64 << 20, PROT_READ | PROT_WRITE, flags, -1, 0) != blocks) {
            model_fail("no memory at the places that the model wants");
        }
        mapped = true;
    }
    count = caches = 0;
    for (; caches < MODEL_THREADS; caches++) {
        unsigned class = 0;
        while (UNIT * (size_t)__malloc_size_classes[class] < front_cache_size() + 4) {
            class++;
        }
        add(class, __malloc_size_classes[class], 0);
    }
    page->secret = __malloc_context.secret;
    for (size_t at = 0; at < small_blocks; at++) {
        add(19, 63, 0);
    }
    for (int at = 0; at < 6; at++) {
        add(20, 72, 0);
        add(47, 8191, 0);
    }
    for (int at = 0; at < MODEL_THREADS; at++) {
        add(23, 127, 0);
        add(27, 255, 0);
    }
    for (int at = 0; at < MAPPINGS; at++) {
        add(63, MAPPING_PAGES * 4096 / UNIT - 1, MAPPING_PAGES);
    }
    groups_start(count, page->groups, groups + TABLE);
    if (count + GROUP_BLOCKS > MODEL_SLABS_FROM) {
        model_fail("too many blocks for the model");
    }
    memset(blocks, 0, TABLE);
    memset(groups, 0, TABLE);
    for (int at = 0; at < count; at++) {
        memset(starts[at] - 4, 0, 4 + kept(at));
        memset(starts[at] + capacities[at] - END, 0, END + 1);
    }
}

const void *backend_chunk(int number) {
    return number == 0 ? blocks : groups;
}

int backend_number(const void *block) {
    for (int at = 0; at < count; at++) {
        if (starts[at] == block) {
            return at;
        }
    }
    const int number = groups_number(block);
    return number >= 0 ? number : front_number(block);
}

void *__libc_malloc_impl(size_t size) {
    if (size == GROUP_CAPACITY) {
        return groups_malloc();
    }
    int best = -1;
    const bool is_cache = size == front_cache_size();
    for (int at = is_cache ? 0 : caches; at < (is_cache ? caches : count); at++) {
        if (model.places[at] == IN_BACKEND && capacities[at] >= size &&
            (best < 0 || capacities[at] < capacities[best])) {
            best = at;
        }
    }
    if (best < 0 || capacities[best] > 2 * size + 64) {
        return NULL;
    }
    unsigned char *const block = starts[best];
    const size_t left = capacities[best] - size;
    page->metas[best].available = 0;
    model.places[best] = IN_FRONT;
    front_maps(&page->metas[best], capacities[best], true);
    block[-4] = 0;
    block[-3] = (unsigned char)((left < 5 ? left : 5) << 5);
    memset(block - 2, 0, 2);
    memset(block + capacities[best] - END, 0, END + 1);
    if (left >= 5) {
        const uint32_t reserved = (uint32_t)left;
        memcpy(block + capacities[best] - 4, &reserved, sizeof reserved);
        block[size] = 0;
    }
    return block;
}

void __libc_free(void *block) {
    const int number = backend_number(block);
    if (number < 0 || model.places[number] != IN_FRONT) {
        model_fail("the backend gets a block that is not the front's to give back");
    }
    if (front_knows_class(block)) {
        model_fail("the backend gets a block of which the table of its chunk still tells");
    }
    if (((unsigned char *)block)[-3] >> 5 > 5) {
        model_fail("the backend gets a block that says it is in a list");
    }
    if (number >= count) {
        groups_free(block, number);
        return;
    }
    model.places[number] = IN_BACKEND;
    page->metas[number].available = 1;
    front_maps(&page->metas[number], capacities[number], false);
    memset((unsigned char *)block - 4, 0, 4 + kept(number));
    ((unsigned char *)block)[-3] = 255;
}

void *__libc_realloc(void *block, size_t size) {
    (void)block;
    (void)size;
    model_fail("scenarios do not resize");
}

/* The state of all blocks, for the search. */
size_t backend_save(unsigned char *to) {
    unsigned char *at = to;
    for (int number = 0; number < count; number++) {
        memcpy(at, starts[number] - BEFORE, BEFORE + kept(number));
        at += BEFORE + kept(number);
        memcpy(at, starts[number] + capacities[number] - END, END);
        at[END] = (unsigned char)page->metas[number].available;
        at[END + 1] = front_class_told(starts[number]);
        at += END + 2;
    }
    at += groups_save(at);
    return (size_t)(at - to);
}

const unsigned char *backend_restore(const unsigned char *at) {
    for (int number = 0; number < count; number++) {
        memcpy(starts[number] - BEFORE, at, BEFORE + kept(number));
        at += BEFORE + kept(number);
        memcpy(starts[number] + capacities[number] - END, at, END);
        page->metas[number].available = at[END];
        front_tell_class(starts[number], at[END + 1]);
        at += END + 2;
    }
    return groups_restore(at);
}
