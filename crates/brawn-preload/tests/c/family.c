/* Everything that a preloaded heap must stand: the whole family, calls before main and after a thread's end,
 * modules that come and go, and forks in the middle of it all. Arguments: the file name that malloc must come
 * from, the one that memcpy must come from, the module, and how often to fork. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(what)                                                                                          \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            dprintf(2, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                            \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

static void *(*volatile the_malloc)(size_t) = malloc;
static void (*volatile the_free)(void *) = free;
static void *(*volatile the_realloc)(void *, size_t) = realloc;
static void *(*volatile the_calloc)(size_t, size_t) = calloc;

/* musl declares neither. */
extern void *memalign(size_t alignment, size_t size);
extern void *valloc(size_t size);
extern void *reallocarray(void *block, size_t count, size_t size);
extern size_t malloc_usable_size(void *block);

static void *early;

static int forked_with_handlers;

/* Handlers of others may allocate: around a fork, ours are the innermost. */
static void handler(void) {
    void *const block = the_malloc(70000);
    CHECK(block != NULL);
    the_free(block);
    forked_with_handlers++;
}

__attribute__((constructor)) static void before_main(void) {
    early = the_malloc(100);
    CHECK(early != NULL);
    CHECK(pthread_atfork(handler, handler, handler) == 0);
}

static void comes_from(void *function, const char *file) {
    Dl_info info;
    CHECK(dladdr(function, &info) != 0);
    const char *const name = strrchr(info.dli_fname, '/');
    if (strcmp(name == NULL ? info.dli_fname : name + 1, file) != 0) {
        dprintf(2, "from %s, not %s\n", info.dli_fname, file);
        _exit(1);
    }
}

static void fill_and_free(void *block, size_t size, size_t alignment) {
    CHECK(block != NULL && (uintptr_t)block % alignment == 0);
    CHECK(malloc_usable_size(block) >= size);
    memset(block, 0x5a, size);
    the_free(block);
}

static void family(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t size = 1; size < (8u << 20); size = size * 3 + 1) {
        fill_and_free(the_malloc(size), size, size < 16 ? 8 : 16);
        unsigned char *const zeros = the_calloc(size, 2);
        CHECK(zeros != NULL);
        for (size_t i = 0; i < size * 2; i += 1 + size / 64) {
            CHECK(zeros[i] == 0);
        }
        fill_and_free(zeros, size * 2, 8);
        for (size_t alignment = sizeof(void *); alignment <= 32768; alignment *= 4) {
            void *block = NULL;
            CHECK(posix_memalign(&block, alignment, size) == 0);
            fill_and_free(block, size, alignment);
            fill_and_free(aligned_alloc(alignment, size), size, alignment);
            fill_and_free(memalign(alignment, size), size, alignment);
        }
        fill_and_free(valloc(size), size, page);
        unsigned char *grown = the_malloc(size);
        CHECK(grown != NULL);
        grown[size - 1] = 7;
        grown = the_realloc(grown, size * 2 + 5);
        CHECK(grown != NULL && grown[size - 1] == 7);
        grown = reallocarray(grown, size, 1);
        CHECK(grown != NULL && grown[size - 1] == 7);
        the_free(grown);
    }
    the_free(NULL);
    CHECK(malloc_usable_size(NULL) == 0);
    volatile size_t much = SIZE_MAX / 2 + 2;
    errno = 0;
    CHECK(the_malloc(much) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(the_calloc(much, 2) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(reallocarray(NULL, much, 2) == NULL && errno == ENOMEM);
    void *untouched = &errno;
    CHECK(posix_memalign(&untouched, 3, 8) == EINVAL && untouched == &errno);
    void *const zero = the_malloc(0);
    CHECK(zero != NULL);
    errno = 4711;
    the_free(zero);
    CHECK(errno == 4711);
    char *const copy = strdup("what libc allocates by itself comes from the same heap");
    the_free(copy);
}

/* Names that only some libcs have: here anyone who asks for them gets a heap that knows its blocks. */
static void other_names(void) {
    void *(*const pvalloc)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "pvalloc");
    void (*const cfree)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "cfree");
    void *(*const inner)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "__libc_malloc");
    void *(*const inner_aligned)(size_t, size_t) =
        (void *(*)(size_t, size_t))dlsym(RTLD_DEFAULT, "__libc_memalign");
    int (*const trim)(size_t) = (int (*)(size_t))dlsym(RTLD_DEFAULT, "malloc_trim");
    CHECK(pvalloc != NULL && cfree != NULL && inner != NULL && inner_aligned != NULL && trim != NULL);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *const whole = pvalloc(page + 1);
    CHECK(whole != NULL && (uintptr_t)whole % page == 0 && malloc_usable_size(whole) >= 2 * page);
    cfree(whole);
    fill_and_free(inner(50), 50, 16);
    fill_and_free(inner_aligned(4096, 50), 50, 4096);
    (void)trim(0);
}

static pthread_key_t key;
static _Atomic(int) ended;

/* Runs when the heap may already have said good-bye to the thread. */
static void at_end(void *block) {
    the_free(block);
    void *const another = the_malloc(300);
    CHECK(another != NULL);
    the_free(another);
    ended++;
}

static void *volatile handed_over[64];

static void *work(void *argument) {
    unsigned random = (unsigned)(uintptr_t)argument * 2654435761u + 1;
    void *own[32] = {0};
    for (int i = 0; i < 4000; i++) {
        random = random * 1664525u + 1013904223u;
        void **const slot = &own[random >> 27];
        the_free(*slot);
        const size_t size = 1 + (random >> 8) % ((random & 0xff) == 0 ? 200000 : 600);
        *slot = the_malloc(size);
        CHECK(*slot != NULL);
        ((char *)*slot)[size - 1] = 1;
        if (i % 16 == 0) {
            *slot = __atomic_exchange_n(&handed_over[(random >> 10) % 64], *slot, __ATOMIC_ACQ_REL);
        }
    }
    for (int i = 0; i < 32; i++) {
        the_free(own[i]);
    }
    CHECK(pthread_setspecific(key, the_malloc(200)) == 0);
    return the_malloc(64);
}

static void start(pthread_t *threads, int count) {
    for (int i = 0; i < count; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(i + 1)) == 0);
    }
}

static void join(pthread_t *threads, int count) {
    for (int i = 0; i < count; i++) {
        void *block;
        CHECK(pthread_join(threads[i], &block) == 0);
        the_free(block);
    }
}

static void wait_for(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void fork_in_threads(int times) {
    pthread_t threads[4], more[2];
    while (times > 0) {
        start(threads, 4);
        for (int i = 0; i < 5; i++, times--) {
            const pid_t child = fork();
            CHECK(child >= 0);
            if (child == 0) {
                alarm(60); /* a child that waits for ever ends by a signal */
                for (int slot = 0; slot < 64; slot++) {
                    the_free(__atomic_exchange_n(&handed_over[slot], the_malloc(900), __ATOMIC_ACQ_REL));
                }
                start(more, 2);
                const pid_t grandchild = fork();
                if (grandchild == 0) {
                    alarm(60);
                    the_free(the_malloc(123456));
                    _exit(0);
                }
                join(more, 2);
                wait_for(grandchild);
                _exit(0);
            }
            wait_for(child);
        }
        join(threads, 4);
    }
    CHECK(forked_with_handlers > 0);
}

static void modules(const char *path) {
    for (int i = 0; i < 3; i++) {
        void *const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (module == NULL) {
            dprintf(2, "%s\n", dlerror());
        }
        CHECK(module != NULL);
        void *(*const make)(size_t) = (void *(*)(size_t))dlsym(module, "module_make");
        void (*const drop)(void *) = (void (*)(void *))dlsym(module, "module_drop");
        CHECK(make != NULL && drop != NULL);
        fill_and_free(make(1234), 1234, 16);
        drop(the_malloc(4321));
        CHECK(dlclose(module) == 0);
    }
}

int main(int count, char **arguments) {
    CHECK(count == 5);
    comes_from((void *)(uintptr_t)the_malloc, arguments[1]);
    comes_from(dlsym(RTLD_DEFAULT, "memcpy"), arguments[2]);
    CHECK(pthread_key_create(&key, at_end) == 0);
    the_free(early);
    family();
    other_names();
    modules(arguments[3]);
    pthread_t threads[8];
    for (int round = 0; round < 8; round++) {
        start(threads, 8);
        join(threads, 8);
    }
    CHECK(ended == 64);
    fork_in_threads(atoi(arguments[4]));
    family();
    puts("whole");
    return 0;
}
