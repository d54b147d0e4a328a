/* musl's FILE, whose size the overlay has checked. All functions that are not here go on to use it. */
#ifndef BRAWN_STREAM_H
#define BRAWN_STREAM_H

#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)

struct stream {
    unsigned flags;
    unsigned char *rpos, *rend; /* what is left of the buffer to read; both NULL while not reading */
    int (*close)(struct stream *);
    unsigned char *wend,
        *wpos; /* where the buffer ends and the next byte goes; both NULL while not writing */
    unsigned char *unused_1;
    unsigned char *wbase;
    size_t (*read)(struct stream *, unsigned char *, size_t);
    size_t (*write)(struct stream *, const unsigned char *, size_t);
    int64_t (*seek)(struct stream *, int64_t, int);
    unsigned char *buf;
    size_t buf_size;
    struct stream *prev, *next;
    int fd;
    int pipe_pid;
    long lockcount;
    int mode;
    int lock; /* -1 while there is one thread */
    int lbf;  /* the character after which a line is written, or -1 */
    void *cookie;
    int64_t known; /* not musl's: 1 more than where the descriptor stands, or 0 */
    char *getln_buf;
    void *unused_2;
    unsigned char *shend;
    int64_t shlim, shcnt;
    struct stream *prev_locked, *next_locked;
    void *locale;
};
_Static_assert(sizeof(struct stream) == 232, "as functions.toml has it");

enum {
    PERMANENT = 1,
    NO_READING = 4,
    NO_WRITING = 8,
    AT_END = 16,
    FAILED = 32,
    BUFFER_GIVEN = 64,
    APPENDING = 128,
};

enum {
    SEEK_CURRENT = 1,
    UNGET = 8, /* before each buffer, for what is put back */
    /* What musl takes is 1 KiB. More than this gains little, and every open file would pay for it. */
    BUFFER = 8 << 10,
    /* What is read at first, and first after a seek, as musl does: who reads a line here and there has
     * less copied. */
    FIRST_READ = 1 << 10,
};

HIDDEN size_t __stdio_read(struct stream *file, unsigned char *to, size_t size);
HIDDEN size_t __stdio_write(struct stream *file, const unsigned char *from, size_t size);
HIDDEN size_t __stdout_write(struct stream *file, const unsigned char *from, size_t size);
HIDDEN int64_t __stdio_seek(struct stream *file, int64_t offset, int whence);
HIDDEN int __stdio_close(struct stream *file);

/* Where a stream stands that begins to read, or does so again elsewhere: one byte before the end, which no other empty buffer
 * is at when __stdio_read is called. */
static inline unsigned char *first_read(const struct stream *file) {
    return file->buf + file->buf_size - 1;
}

static inline int reads_little_first(const struct stream *file) {
    return file->buf_size > FIRST_READ && !(file->flags & BUFFER_GIVEN);
}

#endif
