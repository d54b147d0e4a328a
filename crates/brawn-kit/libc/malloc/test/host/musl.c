/* What mallocng's objects, taken out of a libc.a of musl, need around them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "host.h"

_Atomic bool host_memory_is_short;

/* musl's record of the process: 104 bytes. */
struct {
    char can_do_threads, threaded, secure;
    signed char need_locks;
    int threads_minus_1;
    size_t *auxv;
    char rest[88];
} __libc;

static size_t auxv[] = {AT_RANDOM, 0, 0, 0};

#ifdef HOST_BACKEND
enum { CONTEXT_SIZE = sizeof(uintptr_t) };
static unsigned char __malloc_context[CONTEXT_SIZE];
#else
/* mallocng's state ends with its program break. The host has its own use for that: -1 means that there is
 * none. */
enum { CONTEXT_SIZE = 928 };
extern unsigned char __malloc_context[CONTEXT_SIZE];
#endif

void host_start(void) {
    auxv[1] = getauxval(AT_RANDOM);
    __libc.auxv = auxv;
    memset(__malloc_context + CONTEXT_SIZE - sizeof(uintptr_t), 0xff, sizeof(uintptr_t));
}

void host_threads(int count) {
    __libc.need_locks = count > 1;
    __libc.threads_minus_1 = count - 1;
}

int *___errno_location(void) {
    return &errno;
}

void *host_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    if (host_memory_is_short) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return mmap(address, size, protection, flags, file, offset);
}

int host_madvise(void *address, size_t size, int advice) {
    return host_memory_is_short ? -1 : madvise(address, size, advice);
}

int __madvise(void *address, size_t size, int advice) {
    return madvise(address, size, advice);
}

void *host_mremap(void *old, size_t old_size, size_t size, int flags) {
    if (host_memory_is_short) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return mremap(old, old_size, size, flags);
}
