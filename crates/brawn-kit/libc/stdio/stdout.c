#include "stream.h"

HIDDEN extern struct stream __stdout_FILE;
PUBLIC extern struct stream *const stdout;
HIDDEN extern struct stream *volatile __stdout_used;

static unsigned char buffer[UNGET + BUFFER];

struct stream __stdout_FILE = {
    .flags = PERMANENT | NO_READING,
    .buf = buffer + UNGET,
    .buf_size = BUFFER,
    .fd = 1,
    .lbf = '\n', /* until __stdout_write finds that it is no terminal */
    .write = __stdout_write,
    .seek = __stdio_seek,
    .close = __stdio_close,
    .lock = -1,
};
struct stream *const stdout = &__stdout_FILE;
/* What exit looks at, if the program has this object. */
struct stream *volatile __stdout_used = &__stdout_FILE;
