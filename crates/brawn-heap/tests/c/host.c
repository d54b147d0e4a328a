/* A program that loads two libraries with the heap, and has a malloc of its own beside them:
 *
 *   host work A.so B.so ROUNDS    both at work in several threads of the program and of their own, forks in
 *                                 between, threads that end after the libraries were closed
 *   host close A.so               a thread ends, and the program forks, when A was closed
 *   host foreign A.so             A gets one of the program's blocks to free
 *   host memory A.so ROUNDS       A at work in threads that end; prints the growth of resident memory, in KiB
 *
 * Every block of this malloc has a mark, without which it takes none back: so a block of a library's heap that
 * reached it would end the program, as a block of this one would that reached a library's heap. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 6, HEADER = 16 };

static const uint64_t mark = 0x5a110c0de5a110c0;

struct header {
    uint64_t mark, size;
};

static void require(int holds, const char *what) {
    if (!holds) {
        (void)!write(2, "FAILED: ", 8);
        (void)!write(2, what, strlen(what));
        (void)!write(2, "\n", 1);
        _exit(1);
    }
}

/* Nothing is used again. */
static void *take(size_t alignment, size_t size) {
    static _Atomic(size_t) used;
    static char *_Atomic start;
    const size_t room = (size_t)4 << 30;
    if (start == NULL) {
        char *none = NULL, *const mapped = mmap(NULL, room, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        require(mapped != MAP_FAILED, "no memory for the program");
        __atomic_compare_exchange_n((char **)&start, &none, mapped, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    const size_t whole = (size + alignment + HEADER + 15) / 16 * 16;
    const uintptr_t at = (uintptr_t)start + __atomic_fetch_add((size_t *)&used, whole, __ATOMIC_SEQ_CST);
    require(at + whole <= (uintptr_t)start + room, "the program has used all of its memory");
    const uintptr_t block = (at + HEADER + alignment - 1) & -alignment;
    *(struct header *)(block - HEADER) = (struct header){mark, size};
    return (void *)block;
}

static struct header *header_of(void *block) {
    struct header *const header = (struct header *)((char *)block - HEADER);
    require(header->mark == mark, "free or realloc of a block that is not the program's");
    return header;
}

void *malloc(size_t size) {
    return take(16, size);
}
void free(void *block) {
    if (block != NULL) {
        header_of(block)->mark = 0;
    }
}
void *calloc(size_t count, size_t size) {
    return take(16, count * size); /* fresh, and so zero */
}
void *realloc(void *block, size_t size) {
    void *const moved = malloc(size);
    if (block != NULL) {
        const size_t before = header_of(block)->size;
        memcpy(moved, block, before < size ? before : size);
        free(block);
    }
    return moved;
}
void *memalign(size_t alignment, size_t size) {
    return take(alignment < 16 ? 16 : alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
    *result = memalign(alignment, size);
    return 0;
}

struct module {
    void *handle;
    void (*work)(uint64_t, uint32_t);
    void (*blocks)(uint64_t, uint32_t);
    void (*threads)(uint64_t, uint64_t, uint32_t);
    void (*free)(void *);
    _Bool (*trim)(void);
};

static struct module module_open(const char *path) {
    void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    struct module module = {.handle = handle};
    *(void **)&module.work = dlsym(handle, "module_work");
    *(void **)&module.blocks = dlsym(handle, "module_blocks");
    *(void **)&module.threads = dlsym(handle, "module_threads");
    *(void **)&module.free = dlsym(handle, "module_free");
    *(void **)&module.trim = dlsym(handle, "module_trim");
    require(module.work && module.blocks && module.threads && module.free && module.trim,
            "a function is missing");
    return module;
}

static struct module a, b;
static unsigned rounds;
static pthread_barrier_t closed;

static void *at_work(void *number) {
    const uint64_t seed = (uintptr_t)number;
    for (unsigned at = 0; at < 4; at++) {
        a.work(seed * 31 + at, rounds);
        char *const text = malloc(100 + at);
        b.work(seed * 37 + at, rounds);
        (void)a.trim();
        free(text);
    }
    return NULL;
}

/* Ends when both libraries were closed. */
static void *lasting(void *nothing) {
    a.work(5, rounds);
    b.work(7, rounds);
    pthread_barrier_wait(&closed);
    pthread_barrier_wait(&closed);
    return nothing;
}

static void *child_thread(void *nothing) {
    a.work(11, rounds / 8 + 1);
    b.work(13, rounds / 8 + 1);
    return nothing;
}

static void fork_here(void) {
    const pid_t child = fork();
    require(child >= 0, "no fork");
    if (child == 0) {
        alarm(120); /* rather than for ever, if a lock is not free */
        pthread_t thread;
        a.work(17, rounds / 8 + 1);
        b.work(19, rounds / 8 + 1);
        require(pthread_create(&thread, NULL, child_thread, NULL) == 0, "no thread in a child");
        pthread_join(thread, NULL);
        _exit(0);
    }
    int status = 0;
    require(waitpid(child, &status, 0) == child && status == 0, "a child of a fork did not end well");
}

static void work(const char *first, const char *second) {
    pthread_t threads[THREADS], last;
    for (int times = 0; times < 2; times++) {
        a = module_open(first);
        b = module_open(second);
        require(a.work != b.work, "one library, not two");
        for (uintptr_t at = 0; at < THREADS; at++) {
            require(pthread_create(&threads[at], NULL, at_work, (void *)(at + 1)) == 0, "no thread");
        }
        for (int at = 0; at < FORKS; at++) {
            fork_here();
        }
        a.threads(23, 3, rounds);
        b.threads(29, 3, rounds);
        for (int at = 0; at < THREADS; at++) {
            pthread_join(threads[at], NULL);
        }
        pthread_barrier_init(&closed, NULL, 2);
        require(pthread_create(&last, NULL, lasting, NULL) == 0, "no thread");
        pthread_barrier_wait(&closed);
        require(dlclose(a.handle) == 0 && dlclose(b.handle) == 0, "a library cannot be closed");
        pthread_barrier_wait(&closed);
        pthread_join(last, NULL);
    }
    puts("ok");
}

static void *closing(void *nothing) {
    a.blocks(3, 100);
    pthread_barrier_wait(&closed);
    pthread_barrier_wait(&closed);
    return nothing;
}

static void close_early(void) {
    pthread_t thread;
    pthread_barrier_init(&closed, NULL, 2);
    require(pthread_create(&thread, NULL, closing, NULL) == 0, "no thread");
    pthread_barrier_wait(&closed);
    require(dlclose(a.handle) == 0, "the library cannot be closed");
    pthread_barrier_wait(&closed);
    pthread_join(thread, NULL);
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    int status = 1;
    require(waitpid(child, &status, 0) == child && status == 0, "a child of a fork did not end well");
    puts("ok");
}

static long resident(void) {
    long pages = 0, all = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    require(file != NULL && fscanf(file, "%ld %ld", &all, &pages) == 2, "no /proc");
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int count, char **arguments) {
    require(count > 2, "usage: host work|foreign|memory LIBRARY…");
    if (strcmp(arguments[1], "work") == 0) {
        rounds = (unsigned)atoi(arguments[4]);
        work(arguments[2], arguments[3]);
        return 0;
    }
    a = module_open(arguments[2]);
    if (strcmp(arguments[1], "close") == 0) {
        close_early();
        return 0;
    }
    if (strcmp(arguments[1], "foreign") == 0) {
        a.work(3, 10);
        a.free(malloc(100));
        puts("still here");
        return 0;
    }
    for (int at = 0; at < 4; at++) {
        a.threads(3, 4, (unsigned)atoi(arguments[3]));
    }
    const long before = resident();
    for (int at = 0; at < 40; at++) {
        a.threads(3, 4, (unsigned)atoi(arguments[3]));
    }
    printf("%ld\n", resident() - before);
    return 0;
}
