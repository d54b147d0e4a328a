/* Touches a known amount of memory and ends in the way that it is told: touch MIB MODE */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t bytes;

static char *touch(void) {
    char *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        exit(3);
    memset(block, 1, bytes);
    return block;
}

static void *touch_and_exit(void *unused) {
    (void)unused;
    touch();
    exit(0);
}

static void *touch_in_thread(void *unused) {
    (void)unused;
    munmap(touch(), bytes);
    return NULL;
}

static void *call(void *times) {
    for (long i = 0; i < (long)times; i++)
        syscall(SYS_getppid);
    return NULL;
}

/* For so many milliseconds. */
static void *call_for(void *milliseconds) {
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        syscall(SYS_getppid);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
             (long)milliseconds);
    return NULL;
}

static void print_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        exit(5);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &set))
            printf("core %d\n", core);
}

static void print_groups(void) {
    char line[4096];
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file))
        fputs(line, stdout);
}

static void leave_child(void) {
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    printf("child %d\n", (int)child);
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    bytes = (size_t)atoi(argv[1]) << 20;
    const char *mode = argv[2];
    pthread_t thread;
    if (!strcmp(mode, "exit")) {
        touch();
    } else if (!strcmp(mode, "given-back")) {
        munmap(touch(), bytes);
    } else if (!strcmp(mode, "abort")) {
        touch();
        abort();
    } else if (!strcmp(mode, "killed")) {
        touch();
        raise(SIGKILL);
    } else if (!strcmp(mode, "exit-in-thread")) {
        pthread_create(&thread, NULL, touch_and_exit, NULL);
        for (;;)
            pause();
    } else if (!strcmp(mode, "thread")) {
        pthread_create(&thread, NULL, touch_in_thread, NULL);
        pthread_join(thread, NULL);
    } else if (!strcmp(mode, "child")) {
        if (fork() == 0) {
            touch();
            _exit(0);
        }
        wait(NULL);
    } else if (!strcmp(mode, "exec")) {
        touch();
        execl(argv[0], argv[0], "1", "exit", (char *)NULL);
        return 4;
    } else if (!strcmp(mode, "signals")) {
        signal(SIGUSR1, SIG_IGN);
        for (int i = 0; i < 1000; i++)
            raise(SIGUSR1);
        signal(SIGCHLD, SIG_DFL);
        touch();
    } else if (!strcmp(mode, "real-time")) {
        signal(SIGRTMIN + 1, SIG_IGN);
        raise(SIGRTMIN + 1);
        touch();
    } else if (!strcmp(mode, "stages")) {
        usleep(100 * 1000);
        char *block = touch();
        usleep(200 * 1000);
        munmap(block, bytes);
        usleep(200 * 1000);
    } else if (!strcmp(mode, "calls")) {
        call((void *)1000);
        pthread_create(&thread, NULL, call, (void *)500);
        pthread_join(thread, NULL);
        if (fork() == 0) {
            call((void *)250);
            _exit(0);
        }
        wait(NULL);
    } else if (!strcmp(mode, "calls-for-long")) {
        pthread_create(&thread, NULL, call_for, (void *)1000);
        pthread_join(thread, NULL);
        for (int i = 0; i < 20; i++) {
            if (fork() == 0) {
                call_for((void *)50);
                _exit(0);
            }
            wait(NULL);
        }
    } else if (!strcmp(mode, "cores")) {
        print_cores();
    } else if (!strcmp(mode, "groups")) {
        print_groups();
    } else if (!strcmp(mode, "leave-child")) {
        leave_child();
    } else if (!strcmp(mode, "chatter")) {
        for (int i = 0; i < 100 * 1000; i++)
            puts("a line that needs room");
    } else if (!strcmp(mode, "sleep")) {
        usleep(200 * 1000);
    } else if (!strcmp(mode, "spin")) {
        for (volatile unsigned long i = 0; i < 200ul * 1000 * 1000; i++)
            ;
    } else if (!strcmp(mode, "hang")) {
        for (;;)
            pause();
    } else {
        return 2;
    }
    printf("touched %s MiB\n", argv[1]);
    return 0;
}
