/* Groups of a few slots, with mallocng's own rules, since the front fills lists from them and gives lists
 * back to them by itself (../../brawn/slots.h): slots are given out from `available`, under the lock; who
 * frees one that is neither its group's first nor its last adds it to `freed` without; and the lock is taken
 * for the first, because the group joins the queue of those with free slots, and for the last, because the
 * group goes. When `available` is empty it is filled from the `freed` of a group in the queue.
 *
 * What the front does to the two masks is watched, so that a slot has one owner at any time. */
#include <stdio.h>
#include <string.h>

#include "backend.h"

enum { ALL = (2 << (GROUP_SLOTS - 1)) - 1, SIZE = UNIT + UNIT * GROUP_UNITS * GROUP_SLOTS + UNIT };

extern volatile int __malloc_lock[1];
void __brawn_lock(volatile int *it), __brawn_unlock(volatile int *it);

static struct meta *metas;
static unsigned char *memory;
static int first_number;

/* The queue of groups that may have free slots: a ring, of which the first one is given out from. */
static struct meta *active;

static struct group *group_of(int number) {
    return (struct group *)(memory + number * SIZE);
}

static unsigned char *start_of(int number, int slot) {
    return group_of(number)->storage + UNIT * GROUP_UNITS * slot;
}

static bool is_live(const struct meta *meta) {
    return meta->group != NULL;
}

static enum place *places_of(const struct meta *meta) {
    return &model.places[first_number + (int)(meta - metas) * GROUP_SLOTS];
}

void groups_start(int first, struct meta *metas_, unsigned char *memory_) {
    metas = metas_;
    memory = memory_;
    first_number = first;
    active = NULL;
    memset(metas, 0, GROUPS * sizeof *metas);
    memset(memory, 0, GROUPS * SIZE);
}

int groups_number(const void *block) {
    for (int at = 0; at < GROUP_BLOCKS; at++) {
        if (start_of(at / GROUP_SLOTS, at % GROUP_SLOTS) == block) {
            return first_number + at;
        }
    }
    return -1;
}

/* Of which group this is a mask, or NULL. */
static struct meta *mask_owner(const volatile void *place) {
    for (int at = 0; at < GROUPS; at++) {
        if (place == &metas[at].available || place == &metas[at].freed) {
            return &metas[at];
        }
    }
    return NULL;
}

void groups_read(const volatile void *place) {
    const struct meta *const meta = mask_owner(place);
    if (meta != NULL) {
        model_step(place);
        if (!is_live(meta)) {
            model_fail("a group is looked at that is gone");
        }
    }
}

void groups_write(const volatile void *place, uint32_t mask) {
    struct meta *const meta = mask_owner(place);
    if (meta == NULL) {
        return;
    }
    const bool is_freed = place == &meta->freed;
    const uint32_t before = (uint32_t)(is_freed ? meta->freed : meta->available);
    if (!is_live(meta)) {
        model_fail("a group is written to that is gone");
    }
    if (is_freed ? (before & ~mask) != 0 : (mask & ~before) != 0) {
        model_fail("the front takes freed slots, or makes slots available");
    }
    for (int slot = 0; slot < GROUP_SLOTS; slot++) {
        enum place *const its = &places_of(meta)[slot];
        if (((before ^ mask) >> slot & 1) == 0) {
            continue;
        }
        if (is_freed && *its != IN_FRONT) {
            model_fail("the front gives a slot back that is in use, or free");
        }
        if (is_freed && front_knows_class(start_of((int)(meta - metas), slot))) {
            model_fail("the front gives a slot back of which the table of its chunk still tells");
        }
        *its = is_freed ? IN_BACKEND : IN_FRONT;
    }
}

static void queue_add(struct meta *meta) {
    if (active == NULL) {
        active = meta->previous = meta->next = meta;
        return;
    }
    meta->next = active;
    meta->previous = active->previous;
    meta->previous->next = meta->next->previous = meta;
}

static void queue_remove(struct meta *meta) {
    if (active == meta) {
        active = meta->next == meta ? NULL : meta->next;
    }
    meta->previous->next = meta->next;
    meta->next->previous = meta->previous;
    meta->previous = meta->next = NULL;
}

/* What was freed is there to be given out. */
static void refill(struct meta *meta) {
    if (meta->available != 0) {
        model_fail("a group that has slots to give out is refilled");
    }
    model_step(&meta->freed);
    const int freed = meta->freed;
    meta->freed = 0;
    model_step(&meta->available);
    meta->available = freed;
}

/* The first group with a slot to give out, or NULL. */
static struct meta *group_with_slots(void) {
    while (active != NULL && active->available == 0) {
        struct meta *const before = active;
        model_step(&before->freed);
        if (before->freed == 0) {
            queue_remove(before);
            continue;
        }
        /* Slots that have been freed rest while there is another group, and one that is all free longer. */
        active = active->next;
        if (active->freed == ALL && active->next != active) {
            active = active->next;
        }
        model_step(&active->freed);
        if (active->freed != 0) {
            refill(active);
        } else {
            queue_remove(active);
        }
    }
    return active;
}

static struct meta *group_make(void) {
    for (int at = 0; at < GROUPS; at++) {
        struct meta *const meta = &metas[at];
        if (!is_live(meta)) {
            *meta = (struct meta){.group = group_of(at), .available = ALL};
            meta->bits = (uint64_t)GROUP_CLASS << 6 | 1 << 5 | (GROUP_SLOTS - 1);
            memset(group_of(at), 0, SIZE);
            group_of(at)->meta = meta;
            group_of(at)->active_index = GROUP_SLOTS - 1;
            queue_add(meta);
            return meta;
        }
    }
    return NULL;
}

void *groups_malloc(void) {
    unsigned char *block = NULL;
    __brawn_lock(__malloc_lock);
    struct meta *meta = group_with_slots();
    if (meta == NULL) {
        meta = group_make();
    }
    if (meta != NULL) {
        const int slot = __builtin_ctz((unsigned)meta->available);
        enum place *const place = &places_of(meta)[slot];
        if (*place != IN_BACKEND) {
            model_fail("mallocng gives out a slot that somebody has");
        }
        meta->available &= meta->available - 1;
        *place = IN_FRONT;
        block = start_of((int)(meta - metas), slot);
        const uint16_t offset = (uint16_t)(slot * GROUP_UNITS);
        block[-3] = (unsigned char)slot;
        memcpy(block - 2, &offset, sizeof offset);
    }
    __brawn_unlock(__malloc_lock);
    return block;
}

/* All of its slots are free, so its memory is somebody else's from now on. */
static void group_go(struct meta *meta) {
    for (int slot = 0; slot < GROUP_SLOTS; slot++) {
        if (places_of(meta)[slot] != IN_BACKEND) {
            model_fail("a group goes of which a slot is in use");
        }
    }
    if (meta->next != NULL) {
        const bool was_active = active == meta;
        queue_remove(meta);
        if (was_active && active != NULL) {
            refill(active);
        }
    }
    memset(meta->group, 0xee, SIZE);
    memset(meta, 0, sizeof *meta);
}

/* Under the lock: it is the first of its group that is freed, or was the last when its owner looked. */
static void free_locked(struct meta *meta, int slot) {
    const uint32_t bit = (uint32_t)1 << slot;
    groups_read(&meta->freed);
    const uint32_t free = (uint32_t)(meta->freed | meta->available);
    if ((free | bit) == ALL) {
        places_of(meta)[slot] = IN_BACKEND;
        group_go(meta);
        return;
    }
    if (free == 0 && active != meta) {
        queue_add(meta);
    }
    groups_read(&meta->freed);
    groups_write(&meta->freed, (uint32_t)meta->freed | bit);
    meta->freed |= (int)bit;
}

void groups_free(unsigned char *block, int number) {
    const int slot = (number - first_number) % GROUP_SLOTS;
    struct meta *const meta = &metas[(number - first_number) / GROUP_SLOTS];
    const uint32_t bit = (uint32_t)1 << slot;
    uint16_t offset;
    memcpy(&offset, block - 2, sizeof offset);
    if (block[-3] != slot || block[-4] != 0 || offset != slot * GROUP_UNITS) {
        model_fail("mallocng gets a slot whose header is not its own");
    }
    block[-3] = 255;
    memset(block - 2, 0, 2);
    for (;;) {
        groups_read(&meta->freed);
        const uint32_t freed = (uint32_t)meta->freed;
        groups_read(&meta->available);
        const uint32_t free = freed | (uint32_t)meta->available;
        if ((free & bit) != 0) {
            model_fail("mallocng gets a slot that is free");
        }
        if (freed == 0 || (free | bit) == ALL) {
            break;
        }
        groups_read(&meta->freed);
        if ((uint32_t)meta->freed == freed) {
            groups_write(&meta->freed, freed | bit);
            meta->freed = (int)(freed | bit);
            return;
        }
    }
    __brawn_lock(__malloc_lock);
    free_locked(meta, slot);
    __brawn_unlock(__malloc_lock);
}

static bool is_queued(const struct meta *meta) {
    const struct meta *at = active;
    do {
        if (at == meta) {
            return true;
        }
        at = at == NULL ? NULL : at->next;
    } while (at != active);
    return false;
}

/* At rest: a slot that no one has can be given out, and a group goes with its last slot. */
void groups_check(void) {
    for (int at = 0; at < GROUPS; at++) {
        const struct meta *const meta = &metas[at];
        if (!is_live(meta)) {
            continue;
        }
        if ((meta->freed & meta->available) != 0) {
            model_fail("a slot is free twice");
        }
        for (int slot = 0; slot < GROUP_SLOTS; slot++) {
            const bool is_free = ((meta->freed | meta->available) >> slot & 1) != 0;
            if (is_free != (places_of(meta)[slot] == IN_BACKEND)) {
                model_fail("a slot is lost, or free and in use");
            }
        }
        if ((meta->freed | meta->available) != 0 && !is_queued(meta)) {
            model_fail("a group has free slots, and mallocng does not know");
        }
        if (meta->available != 0 && meta != active) {
            model_fail("slots of a group are available that is not the first");
        }
        if (model.groups_go && (meta->freed | meta->available) == ALL) {
            model_fail("a group stays though all of its slots are free");
        }
    }
}

/* What changes, in one piece. */
struct saved {
    struct meta *active;
    struct meta metas[GROUPS];
    unsigned char memory[GROUPS * SIZE];
    unsigned char told[GROUP_BLOCKS]; /* by the table of their chunk */
};

size_t groups_save(unsigned char *to) {
    struct saved saved;
    memset(&saved, 0, sizeof saved); /* what lies between counts for the hash */
    saved.active = active;
    memcpy(saved.metas, metas, sizeof saved.metas);
    memcpy(saved.memory, memory, sizeof saved.memory);
    for (int at = 0; at < GROUP_BLOCKS; at++) {
        saved.told[at] = front_class_told(start_of(at / GROUP_SLOTS, at % GROUP_SLOTS));
    }
    memcpy(to, &saved, sizeof saved);
    return sizeof saved;
}

const unsigned char *groups_restore(const unsigned char *from) {
    struct saved saved;
    memcpy(&saved, from, sizeof saved);
    active = saved.active;
    memcpy(metas, saved.metas, sizeof saved.metas);
    memcpy(memory, saved.memory, sizeof saved.memory);
    for (int at = 0; at < GROUP_BLOCKS; at++) {
        front_tell_class(start_of(at / GROUP_SLOTS, at % GROUP_SLOTS), saved.told[at]);
    }
    return from + sizeof saved;
}
