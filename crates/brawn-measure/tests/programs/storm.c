/* Chains of processes, each of which starts the next one in a session of its own and is gone: storm UNTIL PAUSE
 * [stay]. Each lives for PAUSE microseconds. A chain that was cut is begun anew by another. After the second UNTIL of the
 * clock, all of them end. No tracer hears of them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CHAINS = 8, LATE = 3 * 1000 * 1000, TRIES = 2000 };

/* When each chain had its last process. */
static _Atomic long *beats;

/* A file with a lock for each chain, so that there are no more of them than that. */
static int locks;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int untraced(void) {
    return (int)syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
}

static int lock(int chain, int how) {
    struct flock range = {.l_type = (short)how, .l_whence = SEEK_SET, .l_start = chain, .l_len = 1};
    return fcntl(locks, F_SETLK, &range) == 0;
}

static void run(int chain, long until, useconds_t pause) {
    for (;;) {
        setsid();
        /* The one before has it until it is gone. */
        for (int tries = 0; !lock(chain, F_WRLCK); tries++) {
            if (tries == TRIES || now() >= until)
                _exit(0);
            sched_yield();
        }
        long time = now();
        if (time >= until)
            _exit(0);
        beats[chain] = time;
        int next = (chain + 1) % CHAINS;
        if (pause)
            usleep(pause);
        if (time - beats[next] > LATE + 2000L * pause && lock(next, F_WRLCK)) {
            beats[next] = time;
            if (untraced() == 0) {
                chain = next;
                continue;
            }
            lock(next, F_UNLCK);
        }
        if (untraced() > 0)
            _exit(0);
    }
}

int main(int count, char **words) {
    if (count < 3)
        return 1;
    long until = atol(words[1]) * 1000000000L;
    beats = mmap(NULL, CHAINS * sizeof *beats, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    locks = memfd_create("locks", 0);
    for (int chain = 0; chain < CHAINS; chain++)
        if (!untraced()) {
            for (int file = 0; file < 3; file++)
                close(file);
            run(chain, until, (useconds_t)atol(words[2]));
        }
    puts("ready");
    fflush(stdout);
    if (count > 3)
        for (;;)
            pause();
    return 0;
}
