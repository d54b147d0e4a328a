// A stream gives and takes the bytes of its file whatever calls are mixed: read by character, line and block, put back, seek,
// write, flush, with a buffer of its own, a given one and none; and how much is read and written at once.
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum { SIZE = 40000, ROUNDS = 60, STEPS = 400, THREADS = 3 };

static unsigned char byte_at(size_t at, uint64_t seed) {
    const uint64_t mixed = (at + seed) * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed >> 40) % 37 == 0 ? '\n' : (unsigned char)(mixed >> 56);
}

struct model {
    unsigned char *bytes;
    size_t size, at;
};

// Each step from the model and from the stream, the position before and after.
static void random_steps(uint64_t seed, const char *name) {
    struct model model = {.bytes = malloc(SIZE * 2), .size = SIZE};
    CHECK(model.bytes != NULL, "no memory");
    for (size_t i = 0; i < SIZE; i++)
        model.bytes[i] = byte_at(i, seed);
    FILE *file = fopen(name, "w+");
    CHECK(file != NULL, "cannot create the file");
    static const size_t GIVEN[] = {0, 1, 9, 64, 5000, 20000};
    const size_t given = GIVEN[seed % 6];
    char *buffer = given != 0 ? malloc(given) : NULL;
    if (seed % 7 == 6)
        setvbuf(file, NULL, _IONBF, 0);
    else if (given != 0)
        setvbuf(file, buffer, seed % 5 == 0 ? _IOLBF : _IOFBF, given);
    CHECK(fwrite(model.bytes, 1, SIZE, file) == SIZE, "cannot write");
    CHECK(fseek(file, 0, SEEK_SET) == 0, "cannot seek");
    static _Thread_local unsigned char block[30000];
    uint64_t random = seed * 2 + 1;
    for (int step = 0; step < STEPS; step++) {
        const uint64_t r = random_next(&random);
        const size_t left = model.size - model.at;
        const size_t length = (size_t)(r >> 32) % ((r & 0xf00) == 0 ? sizeof block : 200);
        const size_t there = length < left ? length : left;
        switch (r % 9) {
        case 0:
        case 1: {
            const size_t got = fread(block, 1, length, file);
            CHECK(got == there, "fread of %zu with %zu left gave %zu", length, left, got);
            CHECK(memcmp(block, model.bytes + model.at, got) == 0, "fread gave other bytes");
            model.at += got;
            break;
        }
        case 2: {
            const unsigned char *end = memchr(model.bytes + model.at, '\n', left);
            size_t line = end != NULL ? (size_t)(end - model.bytes) + 1 - model.at : left;
            if (line > length + 1)
                line = length + 1;
            char *got = fgets((char *)block, (int)length + 2, file);
            CHECK((got != NULL) == (line != 0), "fgets of %zu bytes", line);
            CHECK(line == 0 || (memcmp(block, model.bytes + model.at, line) == 0 && block[line] == 0),
                  "fgets gave other bytes");
            model.at += line;
            break;
        }
        case 3: {
            const int got = getc(file);
            CHECK(got == (left != 0 ? model.bytes[model.at] : EOF), "getc gave %d", got);
            if (left == 0)
                break;
            // Eight bytes can always be put back, and do not change the file.
            for (int i = 0; i < 8; i++)
                CHECK(ungetc('0' + i, file) == '0' + i, "byte %d is not taken back", i);
            for (int i = 7; i >= 0; i--)
                CHECK(getc(file) == '0' + i, "byte %d does not come again", i);
            model.at++;
            break;
        }
        case 4:
        case 5: {
            const long to = (long)((r >> 24) % (model.size + 1));
            const int from = (int)(r >> 20) % 3;
            const long base = from == 0 ? 0 : from == 1 ? (long)model.at : (long)model.size;
            CHECK(fseek(file, to - base,
                        from == 0   ? SEEK_SET
                        : from == 1 ? SEEK_CUR
                                    : SEEK_END) == 0,
                  "cannot seek to %ld", to);
            model.at = (size_t)to;
            break;
        }
        case 6: {
            // Between reading and writing there is a seek.
            CHECK(fseek(file, 0, SEEK_CUR) == 0, "cannot seek");
            const size_t room = SIZE * 2 - model.at;
            const size_t size = length < room ? length : room;
            for (size_t i = 0; i < size; i++)
                block[i] = byte_at(i, r);
            if (r >> 63)
                CHECK(fwrite(block, 1, size, file) == size, "cannot write %zu", size);
            else
                for (size_t i = 0; i < size; i++)
                    CHECK(putc(block[i], file) == block[i], "cannot write a byte");
            memcpy(model.bytes + model.at, block, size);
            model.at += size;
            if (model.at > model.size)
                model.size = model.at;
            CHECK((r >> 62 & 1 ? fflush(file) : fseek(file, 0, SEEK_CUR)) == 0, "cannot flush");
            break;
        }
        case 7:
            CHECK(fflush(file) == 0, "cannot flush");
            break;
        default:
            CHECK(!feof(file) || model.at == model.size, "at the end after %zu of %zu", model.at, model.size);
        }
        const long at = ftell(file);
        CHECK(at == (long)model.at, "the stream is at %ld instead of %zu", at, model.at);
        CHECK(!ferror(file), "the stream has failed");
    }
    CHECK(fclose(file) == 0, "cannot close");
    file = fopen(name, "r");
    CHECK(file != NULL, "cannot open the file again");
    for (size_t i = 0; i < model.size; i++)
        CHECK(getc(file) == model.bytes[i], "byte %zu of %zu is another", i, model.size);
    CHECK(getc(file) == EOF && feof(file), "there is a byte too many");
    CHECK(fclose(file) == 0, "cannot close");
    free(model.bytes);
    free(buffer);
    unlink(name);
}

static int rounds, first;

static void *several(void *number) {
    char name[32];
    snprintf(name, sizeof name, "buffers-%d", (int)(intptr_t)number);
    for (int i = 0; i < rounds; i++)
        random_steps((uint64_t)(first + i * THREADS + (int)(intptr_t)number), name);
    return NULL;
}

static off_t at_descriptor(FILE *file) {
    return lseek(fileno(file), 0, SEEK_CUR);
}

// What the kernel has been asked for, by where the descriptor stands.
static void at_once(off_t first_read, off_t buffer) {
    FILE *file = fopen("at-once", "w+");
    CHECK(file != NULL, "cannot create the file");
    for (off_t i = 0; i < 5 * buffer; i++) {
        putc('x', file);
        const off_t at = at_descriptor(file), written = i / buffer * buffer;
        // The byte that does not fit goes with those that did.
        CHECK(at == written || at == written + 1 || at == i + 1 - buffer || at % (buffer + 1) == 0,
              "%lld bytes of %lld are written", (long long)at, (long long)i + 1);
        CHECK(i + 1 - at <= buffer, "more than a buffer is kept back");
    }
    rewind(file);
    CHECK(getc(file) == 'x', "cannot read");
    CHECK(at_descriptor(file) == first_read, "%lld bytes are read at first", (long long)at_descriptor(file));
    for (off_t i = 1; i <= first_read; i++)
        getc(file);
    CHECK(at_descriptor(file) == first_read + buffer, "then to %lld", (long long)at_descriptor(file));
    CHECK(fseek(file, 100, SEEK_SET) == 0 && getc(file) == 'x', "cannot seek");
    CHECK(at_descriptor(file) == 100 + first_read, "after a seek to %lld", (long long)at_descriptor(file));
    CHECK(ungetc('y', file) == 'y' && getc(file) == 'y', "cannot put back");
    fclose(file);
    // A buffer that the program gave is filled.
    static char own[32768];
    file = fopen("at-once", "r");
    setvbuf(file, own, _IOFBF, sizeof own);
    CHECK(file != NULL && getc(file) == 'x', "cannot read");
    const off_t whole = (off_t)sizeof own - 8 < 5 * buffer ? (off_t)sizeof own - 8 : 5 * buffer;
    CHECK(at_descriptor(file) == whole, "%lld bytes of a given buffer", (long long)at_descriptor(file));
    fclose(file);
    unlink("at-once");
}

// Standard streams in a child: what it left unread is the next reader's, what it left unwritten is written by exit.
static void standard_streams(void) {
    FILE *file = fopen("standard", "w+");
    CHECK(file != NULL, "cannot create the file");
    for (int i = 0; i < 3000; i++)
        fprintf(file, "%04d\n", i);
    CHECK(fflush(file) == 0 && lseek(fileno(file), 0, SEEK_SET) == 0, "cannot seek");
    const int out = open("standard-out", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(out >= 0, "cannot create the file");
    const pid_t child = fork();
    CHECK(child >= 0, "fork failed");
    if (child == 0) {
        if (dup2(fileno(file), 0) < 0 || dup2(out, 1) < 0 || close(fileno(file)) != 0)
            _exit(1);
        char line[8];
        for (int i = 0; i < 1000; i++)
            if (fgets(line, sizeof line, stdin) == NULL || fputs(line, stdout) < 0)
                _exit(2);
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ended with %d", status);
    CHECK(lseek(fileno(file), 0, SEEK_CUR) == 5000, "exit left the input at %lld",
          (long long)lseek(fileno(file), 0, SEEK_CUR));
    CHECK(lseek(out, 0, SEEK_END) == 5000, "the child wrote %lld bytes", (long long)lseek(out, 0, SEEK_END));
    close(out);
    fclose(file);
    unlink("standard");
    unlink("standard-out");
}

static void misuse(void) {
    CHECK(fdopen(0, "x") == NULL && errno == EINVAL, "a mode that there is not");
    FILE *file = fopen("misuse", "w");
    CHECK(file != NULL && fputs("text", file) >= 0, "cannot write");
    CHECK(getc(file) == EOF && ferror(file), "read from a stream for writing");
    CHECK(fclose(file) == 0, "cannot close");
    file = fdopen(open("misuse", O_RDWR), "ae");
    CHECK(file != NULL && fcntl(fileno(file), F_GETFD) == FD_CLOEXEC, "not closed on exec");
    CHECK(fcntl(fileno(file), F_GETFL) & O_APPEND, "does not append");
    CHECK(fputs("more", file) >= 0 && ftell(file) == 8 && fclose(file) == 0, "cannot append");
    file = fopen("misuse", "r");
    CHECK(file != NULL && putc('x', file) == EOF && ferror(file), "wrote to a stream for reading");
    close(fileno(file));
    clearerr(file);
    errno = 0;
    CHECK(getc(file) == EOF && ferror(file) && errno == EBADF, "read from what is closed");
    fclose(file);
    file = fopen(".", "r");
    CHECK(file != NULL, "cannot open the folder");
    errno = 0;
    CHECK(getc(file) == EOF && ferror(file) && !feof(file) && errno == EISDIR, "read a folder");
    fclose(file);
    unlink("misuse");
}

// The end stays the end until clearerr, whatever comes after it in the meantime.
static void at_end(void) {
    FILE *file = fopen("at-end", "w+"), *other = fopen("at-end", "a");
    CHECK(file != NULL && other != NULL, "cannot create the file");
    CHECK(getc(file) == EOF && feof(file), "the file is not empty");
    CHECK(fputs("text", other) >= 0 && fflush(other) == 0, "cannot write");
    char block[4];
    CHECK(getc(file) == EOF && fread(block, 1, sizeof block, file) == 0, "read beyond the end");
    clearerr(file);
    CHECK(fread(block, 1, sizeof block, file) == sizeof block && !feof(file), "cannot read on");
    CHECK(memcmp(block, "text", sizeof block) == 0, "read other bytes");
    fclose(other);
    fclose(file);
    unlink("at-end");
}

// A pipe that takes only some of it: what was taken is said, and no byte comes twice or is left out.
static void partly(void) {
    static unsigned char bytes[200000], back[200000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = byte_at(i, 3);
    for (size_t before = 0; before < 30; before += 10) {
        int ends[2];
        CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0, "no pipe");
        FILE *file = fdopen(ends[1], "w");
        CHECK(file != NULL && fwrite(bytes, 1, before, file) == before, "cannot write");
        errno = 0;
        const size_t taken = fwrite(bytes + before, 1, sizeof bytes - before, file);
        CHECK(taken < sizeof bytes - before && ferror(file) && errno == EAGAIN, "%zu of it are taken", taken);
        clearerr(file);
        CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0, "cannot set it");
        const ssize_t there = read(ends[0], back, sizeof back);
        CHECK(there == (ssize_t)(before + taken), "%zd instead of %zu bytes", there, before + taken);
        CHECK(memcmp(back, bytes, before + taken) == 0, "other bytes");
        CHECK(fputs("more", file) >= 0 && fflush(file) == 0 && read(ends[0], back, 9) == 4, "cannot go on");
        close(ends[0]);
        CHECK(fputs("nowhere", file) >= 0 && fflush(file) == EOF && errno == EPIPE, "wrote to nobody");
        CHECK(fclose(file) == 0, "cannot close");
    }
}

// ftell counts on from what the kernel once said, and asks again when the stream has been flushed or opened anew.
static void positions(int counted) {
    FILE *file = fopen("positions", "w+");
    CHECK(file != NULL, "cannot create the file");
    for (int i = 0; i < 20000; i++)
        putc(byte_at((size_t)i, 1), file);
    rewind(file);
    for (long i = 1; i < 20000; i++)
        CHECK(getc(file) == byte_at((size_t)i - 1, 1) && ftell(file) == i, "at %ld instead of %ld",
              ftell(file), i);
    CHECK(ungetc('x', file) == 'x' && ftell(file) == 19998 && getc(file) == 'x', "put back, at %ld",
          ftell(file));
    CHECK(getc(file) != EOF && getc(file) == EOF && ftell(file) == 20000, "the end is at %ld", ftell(file));
    // Others write on, and the stream reads on.
    const int other = open("positions", O_RDWR | O_APPEND);
    CHECK(other >= 0 && write(other, "more", 4) == 4, "cannot write");
    clearerr(file);
    CHECK(getc(file) == 'm' && ftell(file) == 20001 && getc(file) == 'o', "then at %ld", ftell(file));
    // Another handle of the descriptor, with a flush between.
    rewind(file);
    CHECK(getc(file) != EOF && ftell(file) == 1 && fflush(file) == 0, "at %ld", ftell(file));
    const int same = dup(fileno(file));
    CHECK(lseek(same, 0, SEEK_CUR) == 1 && lseek(same, 5000, SEEK_SET) == 5000, "cannot seek");
    CHECK(ftell(file) == 5000 && getc(file) == byte_at(5000, 1) && ftell(file) == 5001, "moved to %ld",
          ftell(file));
    CHECK(fseek(file, 0, SEEK_CUR) == 0 && lseek(same, 7000, SEEK_SET) == 7000, "cannot seek");
    CHECK(getc(file) == byte_at(7000, 1) && ftell(file) == 7001, "moved to %ld", ftell(file));
    if (counted) {
        lseek(same, 100, SEEK_SET);
        CHECK(ftell(file) == 7001, "the kernel was asked, which says %ld", ftell(file));
    }
    CHECK(fseek(file, 10, SEEK_SET) == 0 && ftell(file) == 10 && fputs("y", file) >= 0, "cannot write");
    CHECK(ftell(file) == 11 && fflush(file) == 0 && ftell(file) == 11, "after writing at %ld", ftell(file));
    CHECK(getc(file) == byte_at(11, 1) && ftell(file) == 12, "after reading at %ld", ftell(file));
    // Another file in its place.
    file = freopen("/dev/zero", "r", file);
    CHECK(file != NULL && getc(file) == 0, "cannot open it anew");
    file = freopen("positions", "r", file);
    CHECK(file != NULL && ftell(file) == 0, "opened at %ld", ftell(file));
    CHECK(getc(file) == byte_at(0, 1) && ftell(file) == 1, "read to %ld", ftell(file));
    CHECK(fseek(file, -2, SEEK_CUR) == -1 && errno == EINVAL && ftell(file) == 1, "before the beginning");
    fclose(file);
    close(same);
    close(other);
    unlink("positions");
    // Where there is no position, there is none later either.
    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], "pipe", 4) == 4, "no pipe");
    file = fdopen(ends[0], "r");
    CHECK(file != NULL, "fdopen failed");
    for (int i = 0; i < 4; i++) {
        errno = 0;
        CHECK(ftell(file) == -1 && errno == ESPIPE && getc(file) == "pipe"[i], "the pipe has a position");
    }
    fclose(file);
    close(ends[1]);
}

int main(int argc, char **argv) {
    rounds = ROUNDS * scale_of(argc, argv) / 6;
    watchdog(120);
    watched_step = "one thread";
    several((void *)0);
    watched_step = "how much at once";
    at_once(option_of(argc, argv, "first-read", 1024), option_of(argc, argv, "buffer", 8192));
    watched_step = "positions";
    // musl's own always asks.
    positions(option_of(argc, argv, "buffer", 8192) != 1024);
    watched_step = "partly";
    signal(SIGPIPE, SIG_IGN);
    partly();
    watched_step = "standard streams";
    standard_streams();
    watched_step = "misuse";
    misuse();
    at_end();
    watched_step = "several threads";
    first = 100000;
    pthread_t threads[THREADS];
    for (intptr_t t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, several, (void *)t) == 0, "no thread");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    watched_step = "how much at once, with threads";
    at_once(option_of(argc, argv, "first-read", 1024), option_of(argc, argv, "buffer", 8192));
    return passed();
}
