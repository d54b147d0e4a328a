/* RLIMIT_AS: allocates until nothing is left, gives all back, and goes on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define BLOCKS 4000000

static void *blocks[BLOCKS];

int main(void) {
    const struct rlimit limit = {(rlim_t)256 << 20, (rlim_t)256 << 20};
    if (setrlimit(RLIMIT_AS, &limit) != 0) {
        return 2;
    }
    static const size_t sizes[] = {100, 5000, 200000, 30000000};
    for (int kind = 0; kind < 4; kind++) {
        const size_t size = sizes[kind];
        for (int round = 0; round < 2; round++) {
            int count = 0;
            errno = 0;
            while (count < BLOCKS && (blocks[count] = malloc(size))) {
                memset(blocks[count++], 1, size);
            }
            if (count == BLOCKS || errno != ENOMEM) {
                fprintf(stderr, "%zu bytes: %d blocks, errno %d\n", size, count, errno);
                return 1;
            }
            /* A third of the limit is the least that must be had. */
            if ((size_t)count * size < ((size_t)256 << 20) / 3) {
                fprintf(stderr, "%zu bytes, round %d: only %d blocks\n", size, round, count);
                return 1;
            }
            while (count > 0) {
                free(blocks[--count]);
            }
        }
    }
    puts("ok");
    return 0;
}
