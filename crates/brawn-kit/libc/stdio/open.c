#include "stream.h"

#include <stdarg.h>

PUBLIC int open(const char *path, int flags, ...);
PUBLIC int openat(int folder, const char *path, int flags, ...);

enum { HERE = -100 }; /* AT_FDCWD */
#if defined(__x86_64__)
enum { CREATE = 0100, TEMPORARY = 020200000 };
#else
enum { CREATE = 0100, TEMPORARY = 020040000 };
#endif

/* musl makes a second system call for O_CLOEXEC, which kernels before 2.6.23 did not know. */
int open(const char *path, int flags, ...) {
    unsigned mode = 0;
    if ((flags & CREATE) != 0 || (flags & TEMPORARY) == TEMPORARY) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, unsigned);
        va_end(rest);
    }
    return openat(HERE, path, flags, mode);
}
