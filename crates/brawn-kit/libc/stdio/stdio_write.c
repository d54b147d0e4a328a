#include "stream.h"
#include "../system.h"

HIDDEN int *__errno_location(void);

/*
 * The buffer, and what did not go into it. Each of them alone is an ordinary write, which costs the kernel less than one of
 * several parts.
 */
size_t __stdio_write(struct stream *file, const unsigned char *from, size_t size) {
    const unsigned char *buffered = file->wbase;
    size_t before = (size_t)(file->wpos - file->wbase), left = size;
    for (;;) {
        long got;
        if (before && left) {
            const struct {
                const void *base;
                size_t size;
            } parts[2] = {{buffered, before}, {from, left}};
            got = system_call(SYS_WRITEV, file->fd, (long)parts, 2, 0, 0, 0);
        } else if (before) {
            got = system_call(SYS_WRITE, file->fd, (long)buffered, (long)before, 0, 0, 0);
        } else {
            got = system_call(SYS_WRITE, file->fd, (long)from, (long)left, 0, 0, 0);
        }
        if (got < 0) {
            *__errno_location() = (int)-got;
            file->wpos = file->wbase = file->wend = NULL;
            file->flags |= FAILED;
            return size - left;
        }
        const size_t of_buffer = (size_t)got < before ? (size_t)got : before;
        buffered += of_buffer;
        before -= of_buffer;
        from += (size_t)got - of_buffer;
        left -= (size_t)got - of_buffer;
        if (!before && !left) {
            file->wend = file->buf + file->buf_size;
            file->wpos = file->wbase = file->buf;
            return size;
        }
    }
}
