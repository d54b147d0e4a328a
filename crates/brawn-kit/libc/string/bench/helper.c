/* The helper: the same program, linked with the host's libc statically, which runs its loop whenever it is
 * asked to. Both share the operands, so caches hold the same for both. */
#define _GNU_SOURCE
#include "bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int to_helper = -1, from_helper = -1;

const struct row *row_number(unsigned number) {
    const struct row *const tables[] = {memory_rows, string_rows};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct row *row = tables[i]; row->name; row++) {
            if (number-- == 0) {
                return row;
            }
        }
    }
    return NULL;
}

bool start_helper(const char *path, int shared_file) {
    int down[2], up[2];
    if (!path || pipe(down) || pipe(up)) {
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        char file[20];
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(down[0], 0);
        dup2(up[1], 1);
        close(down[1]);
        close(up[0]);
        snprintf(file, sizeof file, "%d", shared_file);
        execl(path, path, "--serve", file, (char *)NULL);
        perror(path);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    to_helper = down[1];
    from_helper = up[0];
    return child > 0;
}

double ask_helper(unsigned row, const struct work *work, bool cold) {
    char byte = 0;
    shared->work = *work;
    shared->row = row;
    shared->cold = cold;
    if (write(to_helper, &byte, 1) != 1 || read(from_helper, &byte, 1) != 1) {
        fprintf(stderr, "error: the helper has ended\n");
        exit(1);
    }
    return shared->answer;
}

int serve(int file) {
    char byte;
    map_shared(file);
    prepare_samples();
    while (read(0, &byte, 1) == 1) {
        loop_function *const loop = row_number(shared->row)->loops[HOST];
        /* A copy, as the loops of the other variants have it. */
        const struct work work = shared->work;
        shared->answer = shared->cold ? sample_cold(loop, &work) : sample(loop, &work);
        if (write(1, &byte, 1) != 1) {
            break;
        }
    }
    return 0;
}
