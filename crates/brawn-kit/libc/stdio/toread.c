#include "stream.h"

PUBLIC int __toread(struct stream *file);
HIDDEN void __toread_needs_stdio_exit(void);
HIDDEN void __stdio_exit_needed(void);

int __toread(struct stream *file) {
    const int first = file->rend == NULL;
    if (first) {
        file->known = 0;
    }
    file->mode |= file->mode - 1;
    if (file->wpos != file->wbase) {
        file->write(file, NULL, 0);
    }
    file->wpos = file->wbase = file->wend = NULL;
    if (file->flags & NO_READING) {
        file->flags |= FAILED;
        return -1;
    }
    file->rpos = file->rend =
        first && reads_little_first(file) ? first_read(file) : file->buf + file->buf_size;
    return file->flags & AT_END ? -1 : 0;
}

/* Who reads needs what exit does to streams. */
void __toread_needs_stdio_exit(void) {
    __stdio_exit_needed();
}
