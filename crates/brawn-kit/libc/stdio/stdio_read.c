#include "stream.h"
#include "../system.h"

HIDDEN int *__errno_location(void);

PUBLIC void *memcpy(void *restrict to, const void *restrict from, size_t size);

/* What is rather copied from the buffer than read in two parts. */
enum { COPIED = 512 };

/*
 * Little goes by way of the buffer. Less than a buffer: what was asked for but one byte, and into the buffer, of which that byte
 * is the first, so that one call gives both. Of a buffer or more nothing is copied twice.
 */
size_t __stdio_read(struct stream *file, unsigned char *to, size_t size) {
    const size_t buffered =
        reads_little_first(file) && file->rpos == first_read(file) ? FIRST_READ : file->buf_size;
    const size_t direct = size < buffered ? size - 1 : size;
    const struct {
        void *base;
        size_t size;
    } parts[2] = {{to, direct}, {file->buf, buffered}};
    long got;
    const int copied = size <= COPIED && size <= buffered;
    if (copied) {
        got = system_call(SYS_READ, file->fd, (long)file->buf, (long)buffered, 0, 0, 0);
    } else if (direct < size) {
        got = system_call(SYS_READV, file->fd, (long)parts, 2, 0, 0, 0);
    } else {
        got = system_call(SYS_READ, file->fd, (long)to, (long)size, 0, 0, 0);
    }
    if (got <= 0) {
        if (got < 0) {
            *__errno_location() = (int)-got;
        }
        file->flags |= got < 0 ? FAILED : AT_END;
        return 0;
    }
    if (file->known) {
        file->known += got;
    }
    if (copied) {
        const size_t given = (size_t)got < size ? (size_t)got : size;
        memcpy(to, file->buf, given);
        file->rpos = file->buf + given;
        file->rend = file->buf + got;
        return given;
    }
    if ((size_t)got <= direct) {
        return (size_t)got;
    }
    file->rpos = file->buf;
    file->rend = file->buf + ((size_t)got - direct);
    to[size - 1] = *file->rpos++;
    return size;
}
