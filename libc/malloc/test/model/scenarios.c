/* What the threads do. Small on purpose: all their interleavings are tried. */
#include "model.h"

enum { SMALL = 1000, MEDIUM = 1100, HUGE = 131000, MAPPED = 200000 };

/* Medium blocks lie on shelves. */

static void medium_twice(void) {
    put(get(MEDIUM));
    put(get(MEDIUM));
}

static void medium_once(void) {
    put(get(MEDIUM));
}

static void two_mediums(void) {
    void *const first = get(MEDIUM), *const second = get(MEDIUM);
    put(first);
    put(second);
}

static void fill_shelf(void) {
    void *const first = get(MEDIUM), *const second = get(MEDIUM);
    put(first);
    put(second);
}

/* More than may lie there: room is made while others take. */

static void three_huge(void) {
    void *const first = get(HUGE), *const second = get(HUGE), *const third = get(HUGE);
    put(first);
    put(second);
    put(third);
}

static void huge_once(void) {
    put(get(HUGE));
}

static void trim(void) {
    front_trim_(0);
}

/* Small blocks go through lists of threads, and in chains to other threads. */

static void make_small_blocks(void) {
    for (int at = 0; at < MODEL_SLOTS; at++) {
        model.slots[at] = get(SMALL);
    }
}

static void put_all_of_slots(void) {
    for (int at = 0; at < MODEL_SLOTS; at++) {
        put(model.slots[at]);
    }
}

static void put_half_of_slots(void) {
    for (int at = 0; at < MODEL_SLOTS / 2; at++) {
        put(model.slots[at]);
    }
}

static void put_other_half_of_slots(void) {
    for (int at = MODEL_SLOTS / 2; at < MODEL_SLOTS; at++) {
        put(model.slots[at]);
    }
}

static void six_small(void) {
    void *blocks[6];
    for (int at = 0; at < 6; at++) {
        blocks[at] = get(SMALL);
    }
    for (int at = 0; at < 6; at++) {
        put(blocks[at]);
    }
}

static void small_once(void) {
    put(get(SMALL));
}

/* Large blocks are kept with their mappings. */

static void mapped_twice(void) {
    put(get(MAPPED));
    put(get(MAPPED));
}

static void mapped_once(void) {
    put(get(MAPPED));
}

/* Fork, from one thread while others work. */

static void fork_and_use(void) {
    fork_here();
    put(get(MEDIUM));
    put(get(SMALL));
}

static void fork_and_map(void) {
    fork_here();
    put(get(MAPPED));
}

static void fork_and_put(void) {
    put(model.slots[0]);
    fork_here();
    put(model.slots[1]);
    put(get(SMALL));
}

static void put_the_rest(void) {
    for (int at = 2; at < MODEL_SLOTS; at++) {
        put(model.slots[at]);
    }
}

/* Pages for mallocng's groups. */

static void use_pages(void) {
    model.slots[0] = front_map_pages(4);
    model.slots[1] = front_map_pages(2);
    front_map_too_many();
}

static void three_pages(void) {
    void *const pages = front_map_pages(3);
    front_unmap_pages(pages, 3);
}

static void unmap_first(void) {
    front_unmap_pages(model.slots[0], 4);
}

static void unmap_second(void) {
    front_unmap_pages(model.slots[1], 2);
}

/* More than a chunk has. */
static void fill_chunk(void) {
    for (int at = 0; at < 15; at++) {
        model.slots[at] = front_map_pages(4);
    }
    model.slots[15] = front_map_pages(3);
}

static void another_chunk(void) {
    void *const pages = front_map_pages(4);
    front_unmap_pages(pages, 4);
}

static void fork_and_map_pages(void) {
    fork_here();
    three_pages();
}

const struct scenario scenarios[] = {
    {"pages", use_pages, {three_pages, unmap_first}, 4, 0},
    {"pages-three", use_pages, {three_pages, unmap_first, unmap_second}, 4, 2},
    {"pages-chunks", fill_chunk, {another_chunk, unmap_first, another_chunk}, 4, 2},
    {"pages-trim", use_pages, {three_pages, unmap_first, trim}, 4, 1},
    {"pages-fork", use_pages, {fork_and_map_pages, unmap_first, unmap_second}, 4, 2},
    {"shelf", fill_shelf, {medium_twice, two_mediums}, 4, 0},
    {"shelf-three", fill_shelf, {medium_twice, medium_once, medium_once}, 4, 3},
    {"shelf-empty", NULL, {two_mediums, two_mediums}, 4, 0},
    {"shelf-bound", NULL, {three_huge, huge_once}, 4, 0},
    {"shelf-bound-three", NULL, {three_huge, huge_once, huge_once}, 4, 2},
    {"shelf-trim", fill_shelf, {trim, medium_twice}, 4, 3},
    {"first-use", NULL, {small_once, small_once, small_once}, 8, 3},
    {"chains", make_small_blocks, {put_all_of_slots, six_small}, 20, 0},
    {"chains-both-ways", make_small_blocks, {put_half_of_slots, put_other_half_of_slots, six_small}, 20, 2},
    {"chains-trim", make_small_blocks, {put_all_of_slots, trim}, 20, 3},
    {"memory-is-short", NULL, {six_small, six_small}, 9, 0},
    {"mappings", NULL, {mapped_twice, mapped_once}, 4, 4},
    {"mappings-three", NULL, {mapped_twice, mapped_once, mapped_once}, 4, 3},
    {"mappings-trim", NULL, {mapped_twice, trim}, 4, 4},
    {"fork-shelf", fill_shelf, {fork_and_use, medium_twice}, 6, 0},
    {"fork-bound", NULL, {fork_and_use, three_huge, huge_once}, 6, 2},
    {"fork-chains", make_small_blocks, {fork_and_put, put_the_rest}, 22, 3},
    {"fork-mappings", NULL, {fork_and_map, mapped_twice}, 4, 3},
    {0},
};
