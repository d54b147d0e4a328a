/* fork in a program whose other threads are busy in the allocator all the time.
 *
 * Usage: fork [forks [threads]]. Workers allocate, free, and swap blocks with each other through a table, so
 * that most blocks are freed by a thread that did not allocate them; short-lived threads leave abandoned
 * memory behind. Meanwhile two threads fork. Each child frees blocks of every thread from the table,
 * allocates all sizes, checks contents, starts threads of its own, which take over what ended ones left, forks
 * once more, and ends; an alarm kills one that hangs. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 512
#define THREADS_OF_CHILD 4
#define MAGIC UINT64_C(0x5bd1e995a7c15f3b)

static _Atomic(uint64_t *) slots[SLOTS];
static atomic_bool stop;
static _Thread_local uint64_t seed;

static uint64_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Mostly small, now and then large enough for every other path. */
static size_t some_size(void) {
    const uint64_t r = next_random();
    switch (r % 64) {
    case 0:
        return 16 + (r >> 8) % 300000;
    case 1:
        return 16 + (r >> 8) % 3000000;
    case 2:
    case 3:
    case 4:
        return 16 + (r >> 8) % 20000;
    default:
        return 16 + (r >> 8) % 1000;
    }
}

static uint64_t *make_block(size_t size) {
    uint64_t *block;
    switch (next_random() % 16) {
    case 0:
        block = calloc(1, size);
        for (size_t i = 0; block && i < size / 8; i++) {
            if (block[i]) {
                fprintf(stderr, "calloc gave a block that is not zero\n");
                abort();
            }
        }
        break;
    case 1:
        block = aligned_alloc(64, size);
        break;
    case 2:
        block = realloc(malloc(size / 2), size);
        break;
    default:
        block = malloc(size);
    }
    if (!block) {
        fprintf(stderr, "no memory\n");
        abort();
    }
    block[0] = size;
    block[1] = (uint64_t)(uintptr_t)block ^ size ^ MAGIC;
    ((unsigned char *)block)[size - 1] = size > 16 ? 0xA5 : ((unsigned char *)block)[size - 1];
    return block;
}

static void check_and_free(uint64_t *block) {
    if (!block) {
        return;
    }
    const size_t size = block[0];
    if (block[1] != ((uint64_t)(uintptr_t)block ^ size ^ MAGIC) ||
        (size > 16 && ((unsigned char *)block)[size - 1] != 0xA5)) {
        fprintf(stderr, "a block was overwritten\n");
        abort();
    }
    free(block);
}

static void churn(int rounds) {
    uint64_t *own[64] = {0};
    for (int i = 0; i < rounds; i++) {
        uint64_t *const block = make_block(some_size());
        if (next_random() % 2) {
            check_and_free(atomic_exchange(&slots[next_random() % SLOTS], block));
        } else {
            uint64_t **const slot = &own[next_random() % 64];
            check_and_free(*slot);
            *slot = block;
        }
    }
    for (int i = 0; i < 64; i++) {
        check_and_free(own[i]);
    }
}

static void *short_lived(void *argument) {
    seed = (uintptr_t)argument | 1;
    churn(200);
    return NULL;
}

static void *worker(void *argument) {
    seed = (uintptr_t)argument * 7919 + 1;
    while (!atomic_load(&stop)) {
        churn(500);
        if (next_random() % 8 == 0) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, short_lived, (void *)(uintptr_t)next_random()) == 0) {
                pthread_join(thread, NULL);
            }
        }
    }
    return NULL;
}

static void child(int depth) {
    alarm(30);
    for (int i = 0; i < SLOTS; i++) {
        check_and_free(atomic_exchange(&slots[i], NULL));
    }
    churn(300);
    pthread_t threads[THREADS_OF_CHILD];
    for (int i = 0; i < THREADS_OF_CHILD; i++) {
        if (pthread_create(&threads[i], NULL, short_lived, (void *)(uintptr_t)next_random()) != 0) {
            _exit(2);
        }
    }
    if (depth > 0) {
        const pid_t pid = fork();
        if (pid == 0) {
            child(depth - 1);
        }
        int status;
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
            _exit(3);
        }
    }
    for (int i = 0; i < THREADS_OF_CHILD; i++) {
        pthread_join(threads[i], NULL);
    }
    _exit(0);
}

struct forker {
    int forks;
    int failures;
    uint64_t seed;
};

static void *forker(void *argument) {
    struct forker *const self = argument;
    seed = self->seed;
    for (int i = 0; i < self->forks; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            child(next_random() % 8 == 0 ? 1 : 0);
        }
        int status;
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
            fprintf(stderr, "fork %d: status %#x\n", i, pid < 0 ? -1 : status);
            self->failures++;
        }
        churn(20);
    }
    return NULL;
}

int main(int argc, char **argv) {
    const int forks = argc > 1 ? atoi(argv[1]) : 100;
    const int threads = argc > 2 ? atoi(argv[2]) : 6;
    pthread_t workers[256];
    if (threads < 1 || threads > 256) {
        return 2;
    }
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&workers[i], NULL, worker, (void *)(uintptr_t)(i + 1)) != 0) {
            return 2;
        }
    }
    struct forker other = {forks / 2, 0, 0x9E3779B97F4A7C15};
    struct forker self = {forks - forks / 2, 0, 0xD1B54A32D192ED03};
    pthread_t second;
    if (pthread_create(&second, NULL, forker, &other) != 0) {
        return 2;
    }
    forker(&self);
    pthread_join(second, NULL);
    atomic_store(&stop, true);
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i], NULL);
    }
    printf("%d forks, %d failures\n", forks, self.failures + other.failures);
    return self.failures + other.failures != 0;
}
