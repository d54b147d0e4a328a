/*
 * vfprintf, and with it printf, fprintf, vprintf and dprintf: the text is made in the stream's buffer where it is to be written
 * later, and else beside it, to be written at once: a line to a terminal, all that goes to stderr. musl's own, which stays
 * behind, takes what the kit cannot make and what is longer.
 */

#include "../stdio/stream.h"
#include "format.h"

PUBLIC int vfprintf(struct stream *restrict file, const char *restrict format, va_list ap);
PUBLIC int __brawn_musl_vfprintf(struct stream *restrict file, const char *restrict format, va_list ap);
HIDDEN size_t __fwritex(const unsigned char *restrict from, size_t size, struct stream *restrict file);
HIDDEN int __lockfile(struct stream *file);
HIDDEN void __unlockfile(struct stream *file);

static int formatted(char *to, size_t room, const char *format, va_list ap) {
    va_list first;
    va_copy(first, ap);
    const int length = __brawn_format(to, room, format, first);
    va_end(first);
    return length;
}

/* Not inlined: who has room in the buffer needs none on the stack. */
static __attribute__((noinline)) int beside(struct stream *file, const char *format, va_list ap) {
    char text[1024];
    const int length = formatted(text, sizeof text, format, ap);
    if (length == MUSLS || (size_t)length >= sizeof text) {
        return __brawn_musl_vfprintf(file, format, ap);
    }
    const size_t written = __fwritex((const unsigned char *)text, (size_t)length, file);
    return written < (size_t)length || file->wend == NULL ? -1 : length;
}

int vfprintf(struct stream *restrict file, const char *restrict format, va_list ap) {
    const int locked = file->lock >= 0 && __lockfile(file);
    int length = MUSLS;
    const size_t room = (size_t)(file->wend - file->wpos);
    if (room != 0 && file->lbf < 0) {
        length = formatted((char *)file->wpos, room, format, ap);
        if (length == MUSLS) {
            length = __brawn_musl_vfprintf(file, format, ap);
        } else if ((size_t)length < room) {
            file->wpos += length;
        } else {
            length = beside(file, format, ap);
        }
    } else {
        length = beside(file, format, ap);
    }
    if (locked) {
        __unlockfile(file);
    }
    return length;
}
