#include "stream.h"
#include "../system.h"

HIDDEN int *__errno_location(void);

/*
 * Where a stream stands is asked of the kernel once, and from then on counted by __stdio_read, for as long as the stream goes on
 * reading its buffer: a seek, fflush, freopen and writing leave none, and __toread forgets what was known. POSIX wants a
 * stream flushed before its descriptor is moved by another handle.
 */
int64_t __stdio_seek(struct stream *file, int64_t offset, int whence) {
    const int asked = offset == 0 && whence == SEEK_CURRENT && file->rend != NULL;
    if (asked && file->known) {
        return file->known - 1;
    }
    const int64_t result = system_call(SYS_LSEEK, file->fd, offset, whence, 0, 0, 0);
    file->known = asked && result >= 0 ? result + 1 : 0;
    if (result < 0) {
        *__errno_location() = (int)-result;
        return -1;
    }
    return result;
}
