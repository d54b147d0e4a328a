// aio_read, aio_write, aio_fsync, aio_suspend, aio_cancel and lio_listio: libc keeps queues and threads of
// its own for them, allocated inside and freed by other threads than those that asked.
#include "check.h"
#include <aio.h>
#include <stdatomic.h>

enum { REQUESTS = 24, CHUNK = 3000, ROUNDS = 8 };

static atomic_int notified;

static void notify(union sigval value) {
    free(malloc(1000));
    atomic_fetch_add(&notified, value.sival_int);
}

static void wait_for(struct aiocb *request, ssize_t expected, const char *what) {
    const struct aiocb *list[] = {request};
    while (aio_error(request) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    CHECK(aio_error(request) == 0, "%s: error %d", what, aio_error(request));
    ssize_t result = aio_return(request);
    CHECK(result == expected, "%s: %zd instead of %zd", what, result, expected);
}

static struct aiocb request_for(int file, void *buffer, int number, int opcode) {
    return (struct aiocb){.aio_fildes = file,
                          .aio_buf = buffer,
                          .aio_nbytes = CHUNK,
                          .aio_offset = (off_t)number * CHUNK,
                          .aio_lio_opcode = opcode,
                          .aio_sigevent = {.sigev_notify = SIGEV_NONE}};
}

static void one_round(void) {
    static struct aiocb requests[REQUESTS];
    struct aiocb *list[REQUESTS];
    unsigned char *buffers[REQUESTS];
    int file = open("aio-file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(file >= 0, "cannot create the file");
    for (int i = 0; i < REQUESTS; i++) {
        buffers[i] = malloc(CHUNK);
        CHECK(buffers[i] != NULL, "no memory");
        pattern_fill(buffers[i], CHUNK, (uint64_t)i);
        requests[i] = request_for(file, buffers[i], i, LIO_WRITE);
        list[i] = &requests[i];
    }
    watched_step = "aio_write";
    for (int i = 0; i < REQUESTS / 2; i++)
        CHECK(aio_write(&requests[i]) == 0, "aio_write %d failed", i);
    for (int i = 0; i < REQUESTS / 2; i++)
        wait_for(&requests[i], CHUNK, "aio_write");
    watched_step = "lio_listio, waiting";
    CHECK(lio_listio(LIO_WAIT, list + REQUESTS / 2, REQUESTS / 2, NULL) == 0, "lio_listio failed");
    for (int i = REQUESTS / 2; i < REQUESTS; i++)
        wait_for(&requests[i], CHUNK, "lio_listio");
    watched_step = "aio_fsync";
    struct aiocb sync = request_for(file, NULL, 0, LIO_NOP);
    CHECK(aio_fsync(O_SYNC, &sync) == 0, "aio_fsync failed");
    wait_for(&sync, 0, "aio_fsync");

    watched_step = "lio_listio, not waiting";
    for (int i = 0; i < REQUESTS; i++) {
        memset(buffers[i], 0, CHUNK);
        requests[i] = request_for(file, buffers[i], i, LIO_READ);
    }
    int before = atomic_load(&notified);
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify, .sigev_value.sival_int = 1};
    CHECK(lio_listio(LIO_NOWAIT, list, REQUESTS, &event) == 0, "lio_listio failed");
    while (atomic_load(&notified) == before)
        usleep(200);
    for (int i = 0; i < REQUESTS; i++) {
        wait_for(&requests[i], CHUNK, "aio_read by lio_listio");
        CHECK_PATTERN(buffers[i], CHUNK, (uint64_t)i, "read back");
    }
    watched_step = "aio_read at the end and aio_cancel";
    requests[0] = request_for(file, buffers[0], REQUESTS, LIO_READ);
    CHECK(aio_read(&requests[0]) == 0, "aio_read failed");
    wait_for(&requests[0], 0, "aio_read past the end");
    int ends[2];
    CHECK(pipe(ends) == 0, "no pipe");
    requests[1] = request_for(ends[0], buffers[1], 0, LIO_READ);
    CHECK(aio_read(&requests[1]) == 0, "aio_read of a pipe failed");
    int answer = aio_cancel(ends[0], &requests[1]);
    CHECK(answer == AIO_CANCELED || answer == AIO_NOTCANCELED, "aio_cancel answers %d", answer);
    if (answer == AIO_NOTCANCELED)
        CHECK(write(ends[1], "x", 1) == 1, "cannot write to the pipe");
    // musl answers before it has stored the result.
    while (aio_error(&requests[1]) == EINPROGRESS)
        usleep(200);
    int expected = answer == AIO_CANCELED ? ECANCELED : 0;
    CHECK(aio_error(&requests[1]) == expected, "the request ended with error %d", aio_error(&requests[1]));
    close(ends[0]);
    close(ends[1]);
    close(file);
    for (int i = 0; i < REQUESTS; i++)
        free(buffers[i]);
}

int main(int argc, char **argv) {
    int rounds = ROUNDS * scale_of(argc, argv);
    watchdog(120);
    for (int i = 0; i < rounds; i++) {
        watched_round = i;
        one_round();
    }
    unlink("aio-file");
    return passed();
}
