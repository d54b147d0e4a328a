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

static void three_mediums(void) {
    void *const first = get(MEDIUM), *const second = get(MEDIUM), *const third = get(MEDIUM);
    put(first);
    put(second);
    put(third);
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

/* As destructors do that run after the heap's own. */
static void end_and_put_half(void) {
    front_thread_ends_();
    put_half_of_slots();
}

static void medium_and_end(void) {
    two_mediums();
    front_thread_ends_();
    medium_once();
}

static void medium_and_trim(void) {
    two_mediums();
    front_trim_(0);
    medium_once();
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

/* The library allocates under a lock of its own, as getline does. */
static void library_uses(void) {
    front_library_locks(true);
    put(get(MEDIUM));
    put(get(SMALL));
    put(get(MAPPED));
    front_library_locks(false);
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

/* Leaves more than may be kept, of which the last three are what a large run would best begin with. */
static void purge_pages(void) {
    void *const pages = front_map_pages(3);
    front_unmap_pages(model.slots[0], 4);
    front_unmap_pages(pages, 3);
}

/* More than a chunk has, whose first two pages are its table. */
static void fill_chunk(void) {
    for (int at = 0; at < 15; at++) {
        model.slots[at] = front_map_pages(4);
    }
    model.slots[15] = front_map_pages(1);
}

static void another_chunk(void) {
    void *const pages = front_map_pages(4);
    front_unmap_pages(pages, 4);
}

/* Of a large block, which no lock of mallocng's keeps apart from the others. */
static void large_run(void) {
    void *const pages = front_map_run(50);
    front_unmap_pages(pages, 50);
}

static void fork_and_map_pages(void) {
    fork_here();
    three_pages();
}

/* Slots of mallocng's groups, three of each, go to lists and come back as lists, or one by one. */

/* Takes a list; no one else may have a block of it. */
static unsigned fill(void **blocks, unsigned wanted) {
    const unsigned count = front_refill(blocks, wanted);
    for (unsigned at = 0; at < count; at++) {
        take(blocks[at]);
    }
    return count;
}

static void give(void *const *blocks, unsigned count) {
    for (unsigned at = 0; at < count; at++) {
        model.places[backend_number(blocks[at])] = IN_FRONT;
    }
    front_give_list(blocks, count);
}

/* As mallocng's `realloc` does with what it moves away from. */
static void free_one(void *block) {
    model.places[backend_number(block)] = IN_FRONT;
    front_libc_free_(block);
}

static void one_group(void) {
    fill(model.slots, 3);
}

/* mallocng itself does not always notice that a group is free when several threads give its slots back at
 * once, or take some: it is taken from next then. But a group that one thread gives back has to go. */
static void groups_of_one_thread_each(void) {
    fill(model.slots, 3);
    fill(model.slots + 3, 2);
    model.groups_go = true;
}

static void two_groups(void) {
    fill(model.slots, 3);
    fill(model.slots + 3, 3);
}

static void all_groups(void) {
    fill(model.slots, 9);
}

static void give_two(void) {
    give(model.slots, 2);
}

static void give_first(void) {
    give(model.slots, 1);
}

static void give_second(void) {
    give(model.slots + 1, 1);
}

static void give_all_three(void) {
    give(model.slots, 3);
}

static void give_two_more(void) {
    give(model.slots + 3, 2);
}

static void give_third(void) {
    give(model.slots + 2, 1);
}

static void free_third(void) {
    free_one(model.slots[2]);
}

static void fill_two(void) {
    void *blocks[2];
    give(blocks, fill(blocks, 2));
}

static void fill_four(void) {
    void *blocks[4];
    give(blocks, fill(blocks, 4));
}

static void give_of_both(void) {
    void *const blocks[4] = {model.slots[0], model.slots[3], model.slots[1], model.slots[4]};
    give(blocks, 4);
}

static void give_rest_of_both(void) {
    void *const blocks[2] = {model.slots[2], model.slots[5]};
    give(blocks, 2);
}

static void fork_and_fill(void) {
    fork_here();
    fill_two();
}

static void shared_twice(void) {
    void *const first = get(MODEL_SHARED_SIZE), *const second = get(MODEL_SHARED_SIZE);
    put(first);
    put(second);
}

static void put_group_and_trim(void) {
    for (int at = 0; at < 3; at++) {
        put(model.slots[at]);
    }
    trim();
}

/* Four blocks of three slabs, so that one empties. */
static void make_five(void) {
    for (int at = 0; at < 5; at++) {
        model.slots[at] = get(SMALL);
    }
}

static void put_first_and_trim(void) {
    put(model.slots[0]);
    put(model.slots[1]);
    trim();
}

static void put_others_and_trim(void) {
    put(model.slots[2]);
    put(model.slots[3]);
    put(model.slots[4]);
    trim();
}

static void two_small(void) {
    void *const first = get(SMALL), *const second = get(SMALL);
    put(first);
    put(second);
}

static void small_and_trim(void) {
    put(get(SMALL));
    trim();
}

static void fork_and_two(void) {
    fork_here();
    two_small();
}

const struct scenario scenarios[] = {
    {"slots-go", groups_of_one_thread_each, {give_all_three, give_two_more}, 4, 0},
    {"slots-give", one_group, {give_two, give_third}, 4, 0},
    {"slots-give-three", one_group, {give_first, give_second, give_third}, 4, 0},
    {"slots-give-free", one_group, {give_two, free_third}, 4, 0},
    {"slots-fill", NULL, {fill_two, fill_four}, 4, 4},
    {"slots-fill-give", one_group, {give_two, fill_two}, 4, 0},
    {"slots-fill-give-free", one_group, {give_two, fill_two, free_third}, 4, 3},
    {"slots-groups", two_groups, {give_of_both, give_rest_of_both, fill_four}, 4, 2},
    {"slots-memory-is-short", all_groups, {give_two, fill_two}, 4, 2},
    {"slots-fork", one_group, {fork_and_fill, give_two, free_third}, 4, 3},
    {"slots-trim", one_group, {put_group_and_trim, shared_twice}, 4, 2},
    {"pages", use_pages, {three_pages, unmap_first}, 4, 0},
    {"pages-three", use_pages, {three_pages, unmap_first, unmap_second}, 4, 2},
    {"pages-chunks", fill_chunk, {another_chunk, unmap_first, another_chunk}, 4, 2},
    {"pages-trim", use_pages, {three_pages, unmap_first, trim}, 4, 1},
    {"pages-large", use_pages, {large_run, three_pages, unmap_first}, 4, 2},
    {"pages-large-purge", use_pages, {large_run, purge_pages}, 4, 0},
    {"pages-large-both", use_pages, {large_run, large_run}, 4, 0},
    {"pages-large-first", NULL, {large_run, large_run}, 4, 0},
    {"pages-large-fork", use_pages, {fork_and_map_pages, large_run}, 4, 0},
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
    {"chains-late", make_small_blocks, {end_and_put_half, six_small}, 20, 0},
    {"chains-trim", make_small_blocks, {put_all_of_slots, trim}, 20, 3},
    {"memory-is-short", NULL, {six_small, six_small}, 9, 0},
    {"mappings", NULL, {mapped_twice, mapped_once}, 4, 4},
    {"mappings-three", NULL, {mapped_twice, mapped_once, mapped_once}, 4, 3},
    {"mappings-trim", NULL, {mapped_twice, trim}, 4, 4},
    {"fork-shelf", fill_shelf, {fork_and_use, medium_twice}, 6, 0},
    {"fork-bound", NULL, {fork_and_use, three_huge, huge_once}, 6, 2},
    {"fork-chains", make_small_blocks, {fork_and_put, put_the_rest}, 22, 3},
    {"fork-mappings", NULL, {fork_and_map, mapped_twice}, 4, 3},
    {"fork-library", fill_shelf, {fork_and_use, library_uses}, 6, 4},
    {"fork-library-first-use", NULL, {fork_and_map, library_uses, library_uses}, 6, 3},
    /* With slabs, and the others without. */
    {"slabs-first", NULL, {two_small, two_small}, 0, 3},
    {"slabs-first-three", NULL, {small_once, small_once, small_once}, 0, 2},
    {"slabs-give", make_five, {put_first_and_trim, put_others_and_trim}, 0, 1},
    {"slabs-give-take", make_five, {put_others_and_trim, two_small}, 0, 2},
    {"slabs-trim", NULL, {small_and_trim, two_small}, 0, 2},
    {"slabs-chains", make_small_blocks, {put_all_of_slots, six_small}, 0, 2},
    {"slabs-late", make_small_blocks, {end_and_put_half, six_small}, 0, 2},
    {"slabs-shelf", fill_shelf, {medium_twice, two_mediums}, 0, 3},
    {"slabs-medium", fill_shelf, {medium_twice, two_mediums}, 0, 3},
    {"slabs-medium-late", NULL, {medium_and_end, three_mediums}, 0, 2},
    {"slabs-medium-trim", NULL, {medium_and_trim, three_mediums}, 0, 2},
    {"slabs-shelf-empty", NULL, {two_mediums, two_mediums}, 0, 3},
    {"slabs-bound", NULL, {three_huge, huge_once}, 0, 2},
    {"slabs-fork", make_five, {fork_and_two, put_others_and_trim}, 0, 2},
    {"slabs-fork-first", NULL, {fork_and_two, two_small}, 0, 2},
    {"slabs-fork-library", fill_shelf, {fork_and_use, library_uses}, 0, 2},
    {0},
};
