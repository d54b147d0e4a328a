/* Where freed blocks wait in the hardened build; hardened.h tells how. The bounds are for each thread. */
#ifndef BRAWN_QUARANTINE_H
#define BRAWN_QUARANTINE_H

enum {
    QUARANTINE_RANDOM = 64,       /* blocks whose turn is a matter of chance */
    QUARANTINE_QUEUE = 64,        /* blocks that have had it, and wait for that many more */
    QUARANTINE_BYTES = 64 << 10,  /* of all of them */
    QUARANTINE_LARGEST = 8 << 10, /* larger blocks do not wait */
};

struct waiting {
    void *block;    /* at its slot's start */
    uint32_t size;  /* of the slot */
    uint32_t class; /* CLASSES where the table of its chunk does not tell of it */
};

struct quarantine {
    struct waiting waiting[QUARANTINE_RANDOM];
    struct waiting queue[QUARANTINE_QUEUE];
    uint32_t end, queued; /* where the queue ends, modulo its length, and how many are in it */
    size_t bytes;
    uint64_t random;
};

#endif
