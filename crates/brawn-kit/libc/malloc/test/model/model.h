/* A model checker for the heap's front: its real code, in threads that are coroutines, which give up control
 * at every atomic operation and system call and nowhere else. From each state the checker goes on with every
 * thread that can, until no state is left that it has not seen.
 *
 *   front.c     the front, compiled against this header, and what is looked at from outside
 *   backend.c   a stand-in for mallocng, with its layout: one block a group
 *   groups.c    the same with several slots a group, and mallocng's own rules for them
 *   explore.c   coroutines, states and the search       scenarios.c   what the threads do */
#ifndef BRAWN_MODEL_H
#define BRAWN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_THREADS = 3, MODEL_SLOTS = 16, MODEL_BLOCKS = 288 };
enum {
    MODEL_SLABS_FROM = 64
}; /* the number of the first block that is a slab's (front.c), if there are slabs */
enum { MODEL_SHARED_SIZE = 60, MODEL_SHARED_CLASS = 3 }; /* of blocks that share groups */

/* What a block of the stand-in is for the world outside of it. */
enum place { IN_BACKEND, IN_FRONT, IN_PROGRAM };

struct thread {
    void *stack_pointer;
    const void *sleeps_on;       /* a futex, or NULL */
    void *specific;              /* the value of its one key */
    bool exists, finished, lost; /* lost: it is not in the child of a fork */
    int choice;                  /* which way it goes on from a choice */
    int ways;                    /* of going on, if it stands before a choice; else 0 */
    unsigned char locals[64];    /* its thread-local variables, while another one runs */
};

/* All that changes, but for the front's own variables, the stacks and the blocks. */
struct model {
    struct thread threads[MODEL_THREADS];
    int current;
    int preemptions;          /* so far */
    void *slots[MODEL_SLOTS]; /* through which the threads of a scenario hand blocks to each other */
    enum place places[MODEL_BLOCKS];
    bool in_child;
    bool groups_go; /* when all of their slots are free */
};
extern struct model model;

/* Called by the front: another thread may go on here. */
void model_step(const volatile void *place);
long model_syscall(long number, ...);
_Noreturn void model_fail(const char *what);

/* Called by scenarios, on a thread. */
void *get(size_t size); /* malloc, which must give a block that no one has */
void put(void *block);  /* free */
void take(void *block); /* which no one may have */
int choose(int ways);   /* 0 to ways - 1: all of them are tried */
void fork_here(void);   /* goes on as the parent and, in other states, as the child without other threads */

/* A scenario: what is done first, alone, and then by each thread. */
struct scenario {
    const char *name;
    void (*before)(void);
    void (*threads[MODEL_THREADS])(void);
    size_t small_blocks; /* that the stand-in has */
    int preemptions;     /* how often a thread may be stopped that could go on, or 0: as often as one likes */
};
extern const struct scenario scenarios[];

/* Whether threads have lists of medium blocks: in the scenarios named after them. In the others all go to pools. */
bool model_keeps_medium(void);

/* The front, from outside. */
size_t front_cache_size(void); /* of what a thread keeps of its own */
bool front_address_counts(
    const volatile void *place);                   /* whether it matters to others who comes first there */
bool front_knows_class(const void *block);         /* by the table of its chunk alone */
unsigned char front_class_told(const void *block); /* what that table says, 0 where there is none */
void front_tell_class(const void *block, unsigned char told);
void front_check(bool at_rest); /* lists are whole, sums right, bounds kept */
void *front_malloc_(size_t size);
void front_free_(void *block);
void front_libc_free_(void *block);
int front_trim_(size_t keep);
void *front_map_pages(size_t count);                       /* as mallocng does */
void *front_map_run(size_t count);                         /* the same for a large block */
void front_maps(const void *meta, size_t size, bool come); /* a block; of a large one, its mapping counts */
void front_map_too_many(void);                             /* must fail, and change nothing */
void front_unmap_pages(void *start, size_t count);
void front_forks_(int who);
void front_library_locks(bool take); /* a lock of the library's own */
void front_thread_ends_(void);
bool front_is_threaded(void);
void front_start_threads(int count);
bool front_locks_are_free(void);
int front_number(const void *block);  /* of a block in a slab, or -1 */
size_t front_save(unsigned char *to); /* what lies in chunks */
void front_restore(const unsigned char *from);
void front_forget_statistics(void);
unsigned front_refill(void **blocks, unsigned wanted);     /* a list of several slots from mallocng */
void front_give_list(void *const *blocks, unsigned count); /* and back */

/* The stand-in. */
void backend_start(size_t small_blocks);
int backend_number(const void *block); /* of a block, or -1 */
const void *backend_chunk(int number); /* 0 has the small blocks, 1 the groups of several slots */
size_t backend_save(unsigned char *to);
const unsigned char *backend_restore(const unsigned char *from); /* where it ends */

/* Its groups of several slots: a mask is read or written, as far as it is one. */
void groups_read(const volatile void *place);
void groups_write(const volatile void *place, uint32_t mask);
void groups_check(void); /* at rest */

#endif
