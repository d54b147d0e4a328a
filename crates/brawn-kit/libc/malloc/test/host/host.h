/* The front with the mallocng of a real libc.a behind it, as a part of a program of the host's libc: there
 * are sanitizers and a fuzzer's instrumentation. The host's own malloc stays what it is.
 *
 *   front.c   the front, its functions under names of their own
 *   musl.c    what mallocng's objects need of musl, in terms of the host */
#ifndef BRAWN_TEST_HOST_H
#define BRAWN_TEST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

void *front_malloc_(size_t size);
void front_free_(void *block);
void *front_calloc_(size_t count, size_t size);
void *front_realloc_(void *block, size_t size);
void *front_reallocarray_(void *block, size_t count, size_t size);
void *front_aligned_alloc_(size_t alignment, size_t size);
void *front_memalign_(size_t alignment, size_t size);
int front_posix_memalign_(void **result, size_t alignment, size_t size);
size_t front_usable_size_(void *block);
int front_trim_(size_t keep);
void front_before_fork_(int who);
void front_atfork_(int who);
void *front_libc_malloc_(size_t size);
void front_libc_free_(void *block);

/* mallocng's, as the library's internals call them. */
void *__libc_malloc_impl(size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

/* Before anything else. */
void host_start(void);
void host_threads(int count);

/* While this is set, the system gives no memory, and takes none. */
extern _Atomic bool host_memory_is_short;
void *host_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
void *host_mremap(void *old, size_t old_size, size_t size, int flags);
int host_madvise(void *address, size_t size, int advice);

#ifdef HOST_SIMULATES_THREADS
/* Goes on as another of a few threads, which all are the one that calls. */
enum { HOST_THREADS = 4 };
void host_switch(int thread);
void host_thread_ends(void);
extern uint64_t host_milliseconds;
#endif

#endif
