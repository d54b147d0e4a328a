/* hardened_malloc as the heap of a libc.a: all of its sources in this one translation unit, as GrapheneOS
 * configures them (config/default.mk of hardened_malloc). See kit.h and family.h. */

#include "kit.h"

/* Every header that the sources want, before the system calls get other names. */
#include <assert.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <sys/random.h>

#define KERNEL_HUGE_PAGES true /* it never maps anything that large at once */
#include "kernel_redirect.h"

#define getrandom(buffer, size, flags) ((ssize_t)syscall(SYS_getrandom, buffer, size, flags))
#define write(fd, buffer, size) ((ssize_t)syscall(SYS_write, fd, buffer, size))
/* Statistics are left out, but for the words around them. */
#define fprintf(...) 0
/* musl calls us around a fork, so that nothing need be registered. */
#define pthread_atfork(before, parent, child) 0

#define H_MALLOC_PREFIX
#define ZERO_ON_FREE true
#define WRITE_AFTER_FREE_CHECK true
#define SLOT_RANDOMIZE true
#define SLAB_CANARY true
#define SLAB_QUARANTINE_RANDOM_LENGTH 1
#define SLAB_QUARANTINE_QUEUE_LENGTH 1
#define CONFIG_EXTENDED_SIZE_CLASSES true
#define CONFIG_LARGE_SIZE_CLASSES true
#define GUARD_SLABS_INTERVAL 1
#define GUARD_SIZE_DIVISOR 2
#define REGION_QUARANTINE_RANDOM_LENGTH 256
#define REGION_QUARANTINE_QUEUE_LENGTH 1024
#define REGION_QUARANTINE_SKIP_THRESHOLD 33554432
#define FREE_SLABS_QUARANTINE_RANDOM_LENGTH 32
#define CONFIG_CLASS_REGION_SIZE 34359738368
#define N_ARENA 4
#define CONFIG_STATS false
#define CONFIG_SELF_INIT false /* kit_constructor does it */
#define CONFIG_LABEL_MEMORY false
#define CONFIG_SEAL_METADATA false

#include "chacha.c"
#include "memory.c"
#include "pages.c"
#include "random.c"
#include "util.c"

/* In an executable it is local-exec whatever is asked for. */
#define tls_model(model) unused
#include "h_malloc.c"
#undef tls_model

/* The address space is reserved now: later the program may have set a limit on it. */
static __attribute__((constructor(101))) void kit_constructor(void) {
    kit_keep_marker();
    init();
}

static inline void *heap_malloc(size_t size) {
    return h_malloc(size);
}

static inline void *heap_calloc(size_t size) {
    return h_calloc(1, size);
}

static inline void heap_free(void *block) {
    h_free(block);
}

/* An aligned block may have pages of its own although its size is a slab's. h_realloc takes the last bytes of
 * such a block for a canary and leaves them behind, so it is moved here. Both have the size of a class (a
 * multiple of min_align, not always of a page), but what a slab's own block says is usable is less, by its
 * canary. */
static inline void *heap_realloc(void *block, size_t size) {
    const size_t usable = block == NULL ? 0 : h_malloc_usable_size(block);
    if (usable == 0 || usable % min_align != 0 || usable > max_slab_size_class ||
        size + canary_size <= usable || size > PTRDIFF_MAX) {
        return h_realloc(block, size);
    }
    void *const moved = h_malloc(size);
    if (moved != NULL) {
        memcpy(moved, block, usable < size ? usable : size);
        h_free(block);
    }
    return moved;
}

static inline void *heap_aligned_alloc(size_t alignment, size_t size) {
    return h_aligned_alloc(alignment, size);
}

static inline size_t heap_usable_size(void *block) {
    return h_malloc_usable_size(block);
}

static inline void heap_atfork(int who) {
    if (who < 0) {
        full_lock();
    } else if (who == 0) {
        full_unlock();
    } else {
        post_fork_child();
    }
}

#include "family.h"
