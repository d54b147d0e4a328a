// Threads: their start, locks that several want, conditions and semaphores between them.

#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#include "rows.h"

enum { MOST = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t start, meeting;
static pthread_key_t key;
static sem_t ping, pong;
static uint64_t counter, turn, share;
static FILE *null;

static void prepare(void) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_key_create(&key, free);
    null = fopen("/dev/null", "w");
}

struct racer {
    pthread_t thread;
    uint64_t (*work)(unsigned number, uint64_t times);
    unsigned number;
    double begun, ended;
    uint64_t answer;
};

static void *run(void *argument) {
    struct racer *racer = argument;
    pthread_barrier_wait(&start);
    racer->begun = now();
    racer->answer = racer->work(racer->number, share);
    racer->ended = now();
    return NULL;
}

// Threads that start together share the work. What counts is the time from the first one's start to the last one's end.
static uint64_t race(unsigned threads, uint64_t times, uint64_t (*work)(unsigned, uint64_t)) {
    struct racer racers[MOST];
    uint64_t answer = 0;
    share = (times + threads - 1) / threads;
    counter = turn = 0;
    pthread_barrier_init(&start, NULL, threads);
    pthread_barrier_init(&meeting, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        racers[i] = (struct racer){.work = work, .number = i};
        if (pthread_create(&racers[i].thread, NULL, run, &racers[i]) != 0)
            fail("pthread_create");
    }
    double begun = 0, ended = 0;
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(racers[i].thread, NULL);
        answer += racers[i].answer;
        begun = i == 0 || racers[i].begun < begun ? racers[i].begun : begun;
        ended = racers[i].ended > ended ? racers[i].ended : ended;
    }
    pthread_barrier_destroy(&start);
    pthread_barrier_destroy(&meeting);
    // Each thread's part is rounded up.
    own_time += (ended - begun) * (double)times / (double)(share * threads);
    return answer + counter;
}

// Some work of a thread's own, between two calls.
static void elsewhere(void) {
    for (int i = 0; i < 200; i++)
        __asm__ volatile("");
}

static uint64_t with_mutex(unsigned number, uint64_t times) {
    (void)number;
    for (uint64_t i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

static uint64_t with_mutex_and_work(unsigned number, uint64_t times) {
    (void)number;
    for (uint64_t i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
        elsewhere();
    }
    return 0;
}

static uint64_t with_spin(unsigned number, uint64_t times) {
    (void)number;
    for (uint64_t i = 0; i < times; i++) {
        pthread_spin_lock(&spin);
        counter++;
        pthread_spin_unlock(&spin);
    }
    return 0;
}

static uint64_t reading(unsigned number, uint64_t times) {
    (void)number;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        pthread_rwlock_rdlock(&rwlock);
        sum += turn + 1;
        pthread_rwlock_unlock(&rwlock);
    }
    return sum;
}

static uint64_t reading_and_writing(unsigned number, uint64_t times) {
    (void)number;
    for (uint64_t i = 0; i < times; i++) {
        if (i % 16 == 0)
            pthread_rwlock_wrlock(&rwlock);
        else
            pthread_rwlock_rdlock(&rwlock);
        counter += i % 16 == 0;
        pthread_rwlock_unlock(&rwlock);
    }
    return 0;
}

// Each in turn: the others sleep on one condition.
static uint64_t in_turn(unsigned number, uint64_t times) {
    for (uint64_t i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        while (turn % 2 != number % 2)
            pthread_cond_wait(&turned, &mutex);
        turn++;
        counter++;
        pthread_cond_signal(&turned);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

static uint64_t in_turn_of_8(unsigned number, uint64_t times) {
    for (uint64_t i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        while (turn % 8 != number)
            pthread_cond_wait(&turned, &mutex);
        turn++;
        counter++;
        pthread_cond_broadcast(&turned);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

static uint64_t to_and_fro(unsigned number, uint64_t times) {
    for (uint64_t i = 0; i < times; i++) {
        if (number == 0) {
            sem_post(&ping);
            sem_wait(&pong);
        } else {
            sem_wait(&ping);
            sem_post(&pong);
        }
    }
    return times;
}

static uint64_t with_semaphore(unsigned number, uint64_t times) {
    (void)number;
    for (uint64_t i = 0; i < times; i++) {
        sem_wait(&ping);
        counter++;
        sem_post(&ping);
    }
    return 0;
}

static uint64_t meetings(unsigned number, uint64_t times) {
    (void)number;
    uint64_t serial = 0;
    for (uint64_t i = 0; i < times; i++)
        serial += pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD;
    return serial;
}

static uint64_t own_values(unsigned number, uint64_t times) {
    uint64_t sum = 0;
    int *mine = malloc(sizeof *mine);
    *mine = (int)number;
    pthread_setspecific(key, mine);
    for (uint64_t i = 0; i < times; i++)
        sum += *(int *)pthread_getspecific(key) == (int)number;
    return sum;
}

static uint64_t lines(unsigned number, uint64_t times) {
    (void)number;
    for (uint64_t i = 0; i < times; i++)
        fputs("a line from one of several threads\n", null);
    return times;
}

static uint64_t alone(unsigned number, uint64_t times) {
    if (number == 0)
        for (uint64_t i = 0; i < 2 * times; i++) {
            pthread_mutex_lock(&mutex);
            counter++;
            pthread_mutex_unlock(&mutex);
        }
    pthread_barrier_wait(&meeting);
    return 0;
}

#define RACE(name, threads, work)                                                                            \
    static uint64_t name(uint64_t times) {                                                                   \
        return race(threads, times, work);                                                                   \
    }

RACE(mutex_alone, 2, alone)
RACE(mutex_2, 2, with_mutex)
RACE(mutex_8, 8, with_mutex)
RACE(mutex_work_2, 2, with_mutex_and_work)
RACE(mutex_work_8, 8, with_mutex_and_work)
RACE(spin_2, 2, with_spin)
RACE(readers_2, 2, reading)
RACE(readers_8, 8, reading)
RACE(mixed_2, 2, reading_and_writing)
RACE(mixed_8, 8, reading_and_writing)
RACE(cond_2, 2, in_turn)
RACE(cond_8, 8, in_turn_of_8)
RACE(sem_ping_pong, 2, to_and_fro)
RACE(barrier_2, 2, meetings)
RACE(barrier_8, 8, meetings)
RACE(values_8, 8, own_values)
RACE(lines_2, 2, lines)

static uint64_t sem_8(uint64_t times) {
    sem_post(&ping);
    uint64_t answer = race(8, times, with_semaphore);
    sem_wait(&ping);
    return answer;
}

static void *nothing(void *argument) {
    return argument;
}

static void *allocates(void *argument) {
    char *block = malloc(100);
    __asm__ volatile("" : : "r"(block) : "memory");
    free(block);
    return argument;
}

static void *own_value(void *argument) {
    pthread_setspecific(key, malloc(10));
    return argument;
}

static void *leaves(void *argument) {
    pthread_exit(argument);
}

static uint64_t created(uint64_t times, unsigned threads, void *(*work)(void *)) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        pthread_t each[MOST];
        for (uint64_t j = 0; j < threads; j++)
            if (pthread_create(&each[j], NULL, work, (void *)(uintptr_t)j) != 0)
                fail("pthread_create");
        for (unsigned j = 0; j < threads; j++) {
            void *answer;
            pthread_join(each[j], &answer);
            sum = mix(sum, (uintptr_t)answer);
        }
    }
    return sum;
}

#define CREATES(name, threads, work)                                                                         \
    static uint64_t name(uint64_t times) {                                                                   \
        return created(times, threads, work);                                                                \
    }

CREATES(create_1, 1, nothing)
CREATES(create_8, 8, nothing)
CREATES(create_64, 64, nothing)
CREATES(create_allocates, 1, allocates)
CREATES(create_value, 1, own_value)
CREATES(create_exit, 1, leaves)

static uint64_t create_small(uint64_t times) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, nothing, NULL) != 0)
            fail("pthread_create");
        sum += (uint64_t)pthread_join(thread, NULL);
    }
    pthread_attr_destroy(&attributes);
    return sum;
}

static void *waits(void *argument) {
    sem_wait(&ping);
    return argument;
}

static uint64_t cancelled(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        pthread_t thread;
        void *answer;
        if (pthread_create(&thread, NULL, waits, NULL) != 0)
            fail("pthread_create");
        pthread_cancel(thread);
        pthread_join(thread, &answer);
        sum = mix(sum, answer == PTHREAD_CANCELED);
    }
    return sum;
}

static void *posts(void *argument) {
    sem_post(&pong);
    return argument;
}

static uint64_t detached(uint64_t times) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (uint64_t i = 0; i < times; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, posts, NULL) != 0)
            fail("pthread_create");
        sem_wait(&pong);
    }
    pthread_attr_destroy(&attributes);
    return times;
}

static const struct row ROWS[] = {
    {"create-1", create_1, 9, MEDIAN | QUICK},
    {"create-8", create_8, 3, MEDIAN | QUICK},
    {"create-64", create_64, 1, MEDIAN},
    {"create-small-stack", create_small, 9, MEDIAN},
    {"create-that-allocates", create_allocates, 9, MEDIAN},
    {"create-with-a-value", create_value, 9, MEDIAN},
    {"create-pthread_exit", create_exit, 9, MEDIAN},
    {"create-detached", detached, 9, MEDIAN},
    {"create-cancel", cancelled, 9, MEDIAN},
    {"mutex-another-sleeps", mutex_alone, 800, MEDIAN | OWN},
    {"mutex-2", mutex_2, 800, MEDIAN | OWN | QUICK},
    {"mutex-8", mutex_8, 800, MEDIAN | OWN},
    {"mutex-and-work-2", mutex_work_2, 800, MEDIAN | OWN},
    {"mutex-and-work-8", mutex_work_8, 800, MEDIAN | OWN},
    {"spin-2", spin_2, 800, MEDIAN | OWN},
    {"rwlock-readers-2", readers_2, 800, MEDIAN | OWN},
    {"rwlock-readers-8", readers_8, 800, MEDIAN | OWN},
    {"rwlock-mixed-2", mixed_2, 800, MEDIAN | OWN},
    {"rwlock-mixed-8", mixed_8, 800, MEDIAN | OWN},
    {"cond-ping-pong-2", cond_2, 80, MEDIAN | OWN | QUICK},
    {"cond-broadcast-8", cond_8, 80, MEDIAN | OWN},
    {"sem-ping-pong-2", sem_ping_pong, 80, MEDIAN | OWN},
    {"sem-8", sem_8, 800, MEDIAN | OWN},
    {"barrier-2", barrier_2, 80, MEDIAN | OWN},
    {"barrier-8", barrier_8, 80, MEDIAN | OWN},
    {"getspecific-8", values_8, 800, MEDIAN | OWN},
    {"fputs-2", lines_2, 800, MEDIAN | OWN},
};

const struct group threads_group = GROUP("threads", prepare, ROWS);
