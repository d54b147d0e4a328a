// Named semaphores: sem_open keeps a table that libc allocates inside, at the first call and never before.
#include "check.h"
#include <semaphore.h>
#include <sys/wait.h>

enum { SEMAPHORES = 100, ROUNDS = 200 };

static void name_of(char *name, size_t size, int number) {
    snprintf(name, size, "/brawn-test-%d-%d", (int)getpid(), number);
}

static void many_at_once(void) {
    static sem_t *semaphores[SEMAPHORES];
    char name[64];
    for (int i = 0; i < SEMAPHORES; i++) {
        name_of(name, sizeof name, i);
        semaphores[i] = sem_open(name, O_CREAT | O_EXCL, 0600, (unsigned)i);
        CHECK(semaphores[i] != SEM_FAILED, "sem_open %d failed", i);
    }
    for (int i = 0; i < SEMAPHORES; i++) {
        name_of(name, sizeof name, i);
        sem_t *same = sem_open(name, 0);
        CHECK(same == semaphores[i], "the second sem_open of %d gave another address", i);
        CHECK(sem_close(same) == 0, "sem_close failed");
        int value;
        CHECK(sem_getvalue(semaphores[i], &value) == 0 && value == i, "semaphore %d has the value %d", i,
              value);
        CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST,
              "a second O_EXCL passed");
        CHECK(sem_unlink(name) == 0, "sem_unlink failed");
        CHECK(sem_close(semaphores[i]) == 0, "sem_close failed");
    }
    CHECK(sem_open(name, 0) == SEM_FAILED && errno == ENOENT, "an unlinked semaphore can be opened");
}

static void between_processes(void) {
    char ping_name[64], pong_name[64];
    name_of(ping_name, sizeof ping_name, SEMAPHORES);
    name_of(pong_name, sizeof pong_name, SEMAPHORES + 1);
    sem_t *ping = sem_open(ping_name, O_CREAT | O_EXCL, 0600, 0);
    sem_t *pong = sem_open(pong_name, O_CREAT | O_EXCL, 0600, 0);
    CHECK(ping != SEM_FAILED && pong != SEM_FAILED, "sem_open failed");
    pid_t child = fork();
    CHECK(child >= 0, "fork failed");
    if (child == 0) {
        watchdog(20);
        watched_step = "child";
        sem_t *mine = sem_open(ping_name, 0);
        CHECK(mine != SEM_FAILED, "sem_open failed in the child");
        for (int i = 0; i < ROUNDS; i++) {
            CHECK(sem_wait(mine) == 0, "sem_wait failed");
            CHECK(sem_post(pong) == 0, "sem_post failed");
        }
        _exit(0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(sem_post(ping) == 0, "sem_post failed");
        CHECK(sem_wait(pong) == 0, "sem_wait failed");
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ended with status 0x%x", status);
    sem_unlink(ping_name);
    sem_unlink(pong_name);
    sem_close(ping);
    sem_close(pong);
}

int main(int argc, char **argv) {
    int scale = scale_of(argc, argv);
    watchdog(60);
    for (int i = 0; i < scale; i++) {
        watched_step = "many at once";
        many_at_once();
        watched_step = "between processes";
        between_processes();
    }
    return passed();
}
