/* A pool of workers, each of which gets one large request in its life: it builds 12 MiB of small records,
 * throws them away and waits for more. The requests come one after another, so the program never has more
 * than one of them in hand. What it holds in the end is what its heap keeps for each thread. */
#define _POSIX_C_SOURCE 200809L /* for barriers */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 40, RECORDS = 98304, BYTES = 128 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_done;
static char *records[RECORDS];

static void *work(void *sum) {
    pthread_mutex_lock(&turn);
    for (int i = 0; i < RECORDS; i++) {
        records[i] = malloc(BYTES);
        memset(records[i], i, BYTES);
    }
    for (int i = 0; i < RECORDS; i++) {
        *(unsigned *)sum += (unsigned char)records[i][i % BYTES];
        free(records[i]);
    }
    pthread_mutex_unlock(&turn);
    pthread_barrier_wait(&all_done);
    return NULL;
}

int main(void) {
    pthread_t workers[WORKERS];
    unsigned sum = 0;
    pthread_barrier_init(&all_done, NULL, WORKERS);
    for (int i = 0; i < WORKERS; i++) {
        if (pthread_create(&workers[i], NULL, work, &sum) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i], NULL);
    }
    printf("%u\n", sum);
    return 0;
}
