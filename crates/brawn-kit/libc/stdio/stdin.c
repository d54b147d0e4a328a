#include "stream.h"

HIDDEN extern struct stream __stdin_FILE;
PUBLIC extern struct stream *const stdin;
HIDDEN extern struct stream *volatile __stdin_used;

static unsigned char buffer[UNGET + BUFFER];

struct stream __stdin_FILE = {
    .flags = PERMANENT | NO_WRITING,
    .buf = buffer + UNGET,
    .buf_size = BUFFER,
    .fd = 0,
    .read = __stdio_read,
    .seek = __stdio_seek,
    .close = __stdio_close,
    .lock = -1,
};
struct stream *const stdin = &__stdin_FILE;
/* What exit looks at, if the program has this object. */
struct stream *volatile __stdin_used = &__stdin_FILE;
