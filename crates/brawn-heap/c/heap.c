/* The Brawn heap for a library that is loaded into somebody else's program. The front end is the kit's
 * (malloc/brawn, docs/explain/heap.md), with its own back end.
 *
 * Nothing here is seen outside of the library, so two libraries in one process have two heaps that know nothing
 * of each other, and the program's malloc is a third. Thread-local storage is of a dynamic model, because the
 * library may be opened when threads run already. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "names.h"

#define PUBLIC __attribute__((visibility("hidden")))

#include "malloc/kit.h"
#define __builtin_popcountll                                                                                 \
    kit_popcount /* the compiler's own may be a call that rustc's runtime does not have */

#define BRAWN_ALONE 1
#include "malloc/brawn/alone.h"
#include "malloc/brawn/guest.h"

static void before_fork(void) {
    guest_atfork(-1);
}

static void after_fork_in_parent(void) {
    guest_atfork(0);
}

static void after_fork_in_child(void) {
    guest_atfork(1);
}

/* A library that hears of the ends of threads and of forks must stay. musl never takes one out of a process;
 * glibc is told not to. A static executable has no such function, and no need of it. */
#ifdef __GLIBC__
#pragma weak dladdr
#pragma weak dlopen

static void stay(void) {
    Dl_info here;
    if (dladdr != NULL && dlopen != NULL && dladdr(&caches, &here) != 0 && here.dli_fname != NULL) {
        (void)dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
}
#else
static void stay(void) {
}
#endif

static __attribute__((constructor)) void start(void) {
    stay();
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
