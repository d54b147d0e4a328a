/* System calls for an allocator: they leave errno alone, because free must (POSIX 2024), and none is a
 * cancellation point, because a thread that is cancelled inside the allocator would take its locks along. */
#ifndef BRAWN_KERNEL_H
#define BRAWN_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Where the allocator finds the error of its own system calls. */
static __thread int kernel_errno;

static inline int *kernel_libc_errno(void) {
    return &errno;
}

#define KERNEL_CALL(call)                                                                                    \
    ({                                                                                                       \
        const int kernel_saved = *kernel_libc_errno();                                                       \
        const __typeof__(call) kernel_result = (call);                                                       \
        kernel_errno = *kernel_libc_errno();                                                                 \
        *kernel_libc_errno() = kernel_saved;                                                                 \
        kernel_result;                                                                                       \
    })

#define KERNEL_SYSCALL(...) ((void)KERNEL_CALL((syscall)(__VA_ARGS__)))

/* Memory without transparent huge pages: where the system hands them out unasked, a heap of many threads
 * takes twice the memory with them (measured: docs/log/kit.md). Said for this memory alone, where mimalloc
 * would say it for the process and all its children. Unless it may have them. */
static inline void *kernel_map(bool huge_pages, void *address, size_t size, int protection, int flags, int fd,
                               off_t offset) {
    void *const memory = KERNEL_CALL((mmap)(address, size, protection, flags, fd, offset));
    if (memory != MAP_FAILED && !huge_pages && size >= (size_t)2 << 20) {
        (void)KERNEL_CALL((madvise)(memory, size, MADV_NOHUGEPAGE));
    }
    return memory;
}

/* One line on the standard error stream, without stdio, which allocates and locks. */
static inline void kernel_print(const char *text) {
    (void)KERNEL_CALL((syscall)(SYS_write, 2, text, strlen(text)));
}

#endif
