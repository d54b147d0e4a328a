/* mallocng's layout as the stand-in has it, and its groups of several slots (groups.c). */
#ifndef BRAWN_MODEL_BACKEND_H
#define BRAWN_MODEL_BACKEND_H

#include "model.h"

enum { UNIT = 16, CLASSES = 48 };

extern const uint16_t __malloc_size_classes[CLASSES];

struct meta {
    struct meta *previous, *next;
    struct group *group;
    volatile int available, freed;
    uint64_t bits;
};

struct group {
    struct meta *meta;
    unsigned char active_index, pad[7];
    unsigned char storage[];
};

/* Their one class, of 60 bytes a block. */
enum {
    GROUPS = 3,
    GROUP_SLOTS = 3,
    GROUP_BLOCKS = GROUPS * GROUP_SLOTS,
    GROUP_CLASS = MODEL_SHARED_CLASS,
    GROUP_UNITS = 4
};
enum { GROUP_CAPACITY = UNIT * GROUP_UNITS - 4 };
_Static_assert((int)GROUP_CAPACITY == (int)MODEL_SHARED_SIZE, "one class has several slots a group");

void groups_start(int first, struct meta *metas, unsigned char *memory); /* blocks count from `first` */
int groups_number(const void *block);                                    /* or -1 */
void *groups_malloc(void);
void groups_free(unsigned char *block, int number);
size_t groups_save(unsigned char *to);
const unsigned char *groups_restore(const unsigned char *from); /* where it ends */

#endif
