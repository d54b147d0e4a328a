// Thread-specific data whose destructors allocate, free and set values again, POSIX keys and C11 ones: a
// thread still allocates after the allocator may have been told that the thread is over.
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>

enum { KEYS = 12, THREADS = 300 };

static pthread_key_t keys[KEYS];
static tss_t c11_key;
static atomic_long destroyed, allocated_in_destructors;

struct value {
    int key, lives;
    unsigned char bytes[200];
};

static struct value *make_value(int key, int lives) {
    struct value *value = malloc(sizeof *value);
    CHECK(value != NULL, "no memory for a value");
    value->key = key;
    value->lives = lives;
    memset(value->bytes, key, sizeof value->bytes);
    return value;
}

static void destroy(void *pointer) {
    struct value *value = pointer;
    for (size_t i = 0; i < sizeof value->bytes; i++)
        CHECK(value->bytes[i] == value->key, "the value of key %d is damaged", value->key);
    for (size_t size = 8; size < 300000; size *= 6) {
        char *text = calloc(1, size);
        CHECK(text != NULL, "no memory for %zu bytes in a destructor", size);
        CHECK(all_zero(text, size), "calloc of %zu bytes in a destructor is not zero", size);
        text = realloc(text, size + 100);
        CHECK(text != NULL, "cannot resize in a destructor");
        memset(text, 1, size + 100);
        free(text);
    }
    atomic_fetch_add(&allocated_in_destructors, 1);
    // A value set again in a destructor gets another round, PTHREAD_DESTRUCTOR_ITERATIONS (4) at most.
    if (value->lives > 0)
        pthread_setspecific(keys[value->key], make_value(value->key, value->lives - 1));
    free(value);
    atomic_fetch_add(&destroyed, 1);
}

static void destroy_c11(void *pointer) {
    free(pointer);
    free(malloc(5000));
    atomic_fetch_add(&destroyed, 1);
}

static void *use_keys(void *unused) {
    (void)unused;
    for (int k = 0; k < KEYS; k++)
        CHECK(pthread_setspecific(keys[k], make_value(k, k % 3)) == 0, "pthread_setspecific failed");
    CHECK(tss_set(c11_key, strdup("a C11 value")) == thrd_success, "tss_set failed");
    for (int k = 0; k < KEYS; k++)
        CHECK(((struct value *)pthread_getspecific(keys[k]))->key == k, "key %d has another value", k);
    return NULL;
}

int main(int argc, char **argv) {
    int threads = (int)option_of(argc, argv, "threads", THREADS) * scale_of(argc, argv);
    watchdog(120);
    watched_step = "destructors";
    for (int k = 0; k < KEYS; k++)
        CHECK(pthread_key_create(&keys[k], destroy) == 0, "no key %d", k);
    CHECK(tss_create(&c11_key, destroy_c11) == thrd_success, "no C11 key");
    struct growth growth = {0};
    for (int n = 0; n < threads; n++) {
        pthread_t thread;
        watched_round = n;
        CHECK(pthread_create(&thread, NULL, use_keys, NULL) == 0, "no thread %d", n);
        pthread_join(thread, NULL);
        growth_sample(&growth, n, threads);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 1024), "values of ended threads");
    long expected = 1; // the C11 value
    for (int k = 0; k < KEYS; k++)
        expected += 1 + k % 3;
    CHECK(atomic_load(&destroyed) == expected * threads, "%ld destructor calls instead of %ld",
          atomic_load(&destroyed), expected * threads);
    for (int k = 0; k < KEYS; k++)
        pthread_key_delete(keys[k]);
    tss_delete(c11_key);
    return passed();
}
