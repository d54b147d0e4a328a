/* Corners of the malloc family that an allocator must get right to be part of a libc. Exits with 0, or says
 * what is wrong. With the argument `emulated`, the resident memory is not looked at: it is that of the
 * emulator, which keeps hundreds of KiB for every thread that ever ran. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Not in every version of the headers. */
void *reallocarray(void *, size_t, size_t);
void *aligned_alloc(size_t, size_t);
/* The names that musl uses inside. */
void *__libc_malloc(size_t);
void *__libc_malloc_impl(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s (errno %d)\n", "edges.c", __LINE__, #condition, errno);               \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* Hides a value, so that the compiler does not judge the call. */
static size_t hide(size_t value) {
    __asm__ volatile("" : "+r"(value));
    return value;
}

static void *early;

static __attribute__((constructor(101))) void before_others(void) {
    early = malloc(1000);
    if (early) {
        memset(early, 7, 1000);
    }
}

static void *small_stack(void *argument) {
    void *volatile *const result = argument;
    for (int i = 0; i < 1000; i++) {
        free(malloc(hide((size_t)i * 37 % 5000)));
    }
    *result = calloc(100, 10);
    return NULL;
}

static pthread_key_t key;

/* Runs while the thread ends, before or after the allocator's own destructor. */
static void late_destructor(void *value) {
    free(value);
    free(malloc(100));
    void *const block = realloc(malloc(10), 5000);
    free(block);
}

static void *with_key(void *argument) {
    pthread_setspecific(key, malloc(64));
    void **const blocks = argument;
    for (int i = 0; i < 100; i++) {
        blocks[i] = malloc((size_t)i * 50 + 1);
        memset(blocks[i], i, (size_t)i * 50 + 1);
    }
    return NULL;
}

static long resident_kib(void) {
    long pages = 0, resident = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld %ld", &pages, &resident) == 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void errors(void) {
    errno = 0;
    CHECK(!malloc(hide((size_t)PTRDIFF_MAX + 1)) && errno == ENOMEM);
    errno = 0;
    CHECK(!calloc(hide(SIZE_MAX / 2), 3) && errno == ENOMEM);
    errno = 0;
    CHECK(!calloc(hide(PTRDIFF_MAX), 2) && errno == ENOMEM);
    char *block = malloc(10);
    strcpy(block, "kept");
    errno = 0;
    CHECK(!realloc(block, hide((size_t)PTRDIFF_MAX + 1)) && errno == ENOMEM && !strcmp(block, "kept"));
    errno = 0;
    CHECK(!reallocarray(block, hide(SIZE_MAX / 2), 4) && errno == ENOMEM && !strcmp(block, "kept"));
    free(block);
    errno = 0;
    CHECK(!aligned_alloc(hide(24), 100) && errno == EINVAL);
    errno = 0;
    CHECK(!memalign(hide(3), 100) && errno == EINVAL);
    errno = 0;
    CHECK(!aligned_alloc(hide((size_t)1 << 63), 100) && errno == ENOMEM);
    void *result = &result;
    CHECK(posix_memalign(&result, hide(24), 100) == EINVAL && result == &result);
    CHECK(posix_memalign(&result, hide(4), 100) == EINVAL && result == &result);
    CHECK(posix_memalign(&result, 64, hide(PTRDIFF_MAX)) == ENOMEM && result == &result);
    errno = 77;
    free(NULL);
    free(malloc(5000000));
    free(malloc(50));
    CHECK(errno == 77);
}

static void shapes(size_t largest_alignment) {
    void *const a = malloc(0), *const b = malloc(0);
    CHECK(a && b && a != b);
    void *const c = realloc(a, 0);
    CHECK(c);
    free(b);
    free(c);
    CHECK(malloc_usable_size(NULL) == 0);
    for (size_t alignment = 8; alignment <= largest_alignment; alignment *= 2) {
        for (size_t size = 1; size <= 100000; size = size * 5 + 1) {
            void *block;
            CHECK(posix_memalign(&block, alignment, size) == 0);
            CHECK((uintptr_t)block % alignment == 0 && malloc_usable_size(block) >= size);
            memset(block, 1, malloc_usable_size(block));
            block = realloc(block, size * 3);
            CHECK(block && ((char *)block)[size - 1] == 1);
            free(block);
        }
    }
    void *const page = valloc(10);
    CHECK(page && (uintptr_t)page % (size_t)sysconf(_SC_PAGESIZE) == 0);
    free(page);
    for (size_t size = 16; size < 3000000; size = size * 7 / 4) {
        unsigned char *const block = malloc(size);
        CHECK(block && (uintptr_t)block % 16 == 0);
        memset(block, 0xFF, size);
        free(block);
        unsigned char *const zero = calloc(size, 1);
        for (size_t i = 0; i < size; i++) {
            CHECK(zero[i] == 0);
        }
        free(zero);
    }
    /* One heap behind both sets of names. */
    free(__libc_malloc(100));
    free(__libc_malloc_impl(100));
    __libc_free(malloc(100));
    free(__libc_realloc(calloc(1, 10), 1000));
    __libc_free(__libc_calloc(10, 10));
}

static void threads(int emulated, size_t stack_size) {
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, stack_size) == 0);
    pthread_t thread;
    void *volatile result = NULL;
    CHECK(pthread_create(&thread, &attributes, small_stack, (void *)&result) == 0);
    CHECK(pthread_join(thread, NULL) == 0 && result);
    free(result);

    CHECK(pthread_key_create(&key, late_destructor) == 0);
    void *blocks[100];
    for (int round = 0; round < 50; round++) {
        CHECK(pthread_create(&thread, NULL, with_key, blocks) == 0 && pthread_join(thread, NULL) == 0);
        for (int i = 0; i < 100; i++) {
            unsigned char *const block = blocks[i];
            CHECK(block[0] == i && block[i * 50] == i);
            free(block);
        }
    }
    /* What threads leave behind is used again: thousands of them take no more room than a few. */
    const long before = resident_kib();
    for (int round = 0; round < (emulated ? 100 : 2000); round++) {
        CHECK(pthread_create(&thread, NULL, with_key, blocks) == 0 && pthread_join(thread, NULL) == 0);
        for (int i = 0; i < 100; i++) {
            free(blocks[i]);
        }
    }
    const long growth = resident_kib() - before;
    if (growth > 20000 && !emulated) {
        fprintf(stderr, "the threads left %ld KiB behind\n", growth);
        exit(1);
    }
}

static int has_argument(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], name)) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    CHECK(early && ((char *)early)[999] == 7);
    free(early);
    const int emulated = has_argument(argc, argv, "emulated");
    errors();
    shapes(has_argument(argc, argv, "small-alignment") ? 32768 : (size_t)64 << 20);
    /* 2048 is musl's PTHREAD_STACK_MIN. */
    threads(emulated, has_argument(argc, argv, "large-stack") ? 8192 : 2048);
    puts("ok");
    return 0;
}
