/* Included after every system header and before the sources of an allocator: from here on, its system calls
 * are those of kernel.h, and errno is its own. KERNEL_HUGE_PAGES says whether its memory may lie in
 * transparent huge pages where the system hands them out unasked. */
#include "kernel.h"

#undef errno
#define errno kernel_errno

#define mmap(...) kernel_map(KERNEL_HUGE_PAGES, __VA_ARGS__)
#define munmap(...) KERNEL_CALL((munmap)(__VA_ARGS__))
#define mremap(...) KERNEL_CALL((mremap)(__VA_ARGS__))
#define madvise(...) KERNEL_CALL((madvise)(__VA_ARGS__))
#define mprotect(...) KERNEL_CALL((mprotect)(__VA_ARGS__))
/* mimalloc would switch huge pages off for the process, and for every program that it starts: see kernel_map.
 * It leaves that when it hears that they are off already. */
#define prctl(option, ...) ((option) == PR_GET_THP_DISABLE ? 1 : KERNEL_CALL((prctl)(option, __VA_ARGS__)))
#define syscall(...) KERNEL_CALL((syscall)(__VA_ARGS__))
#define open(path, ...) ((int)syscall(SYS_openat, AT_FDCWD, path, __VA_ARGS__))
#define read(fd, buffer, size) ((ssize_t)syscall(SYS_read, fd, buffer, size))
#define close(fd) ((int)syscall(SYS_close, fd))
#define access(path, mode) ((int)syscall(SYS_faccessat, AT_FDCWD, path, mode))
#define sleep(seconds) ((unsigned)syscall(SYS_sched_yield))
#define fputs(text, stream) (kernel_print(text), 0)

/* Nothing is written to a stream, but streams are compared with. This way stdio is not linked in for that. */
#undef stdout
#undef stderr
#define stdout ((FILE *)1)
#define stderr ((FILE *)2)
