// dlerror's text lives in a buffer per thread that libc allocates, and frees when the thread has ended or
// the next error comes. dlopen in a static executable always fails, which is all that is needed here.
#include "check.h"
#include <dlfcn.h>
#include <pthread.h>

enum { THREADS = 400, ERRORS = 20, ERRORS_IN_MAIN = 30000 };

static void provoke(unsigned number) {
    char name[600];
    size_t length = 20 + number % 500;
    memset(name, 'x', length);
    snprintf(name + length, sizeof name - length, "_%u", number);
    CHECK(dlsym(RTLD_DEFAULT, name) == NULL, "dlsym found %s", name);
    const char *text = dlerror();
    CHECK(text != NULL && strlen(text) > 0, "dlsym left no error");
#ifndef __GLIBC__
    CHECK(strstr(text, name) != NULL, "the error \"%s\" does not name the symbol", text);
#endif
    CHECK(dlerror() == NULL, "the error is still there");
}

static void *provoke_many(void *argument) {
    unsigned number = (unsigned)(uintptr_t)argument;
    for (unsigned i = 0; i < ERRORS; i++)
        provoke(number * 31 + i);
    // Left unread, so that the buffer outlives the thread and somebody else must free it.
    dlopen("/no/such/library.so", RTLD_NOW);
    return NULL;
}

int main(int argc, char **argv) {
    unsigned threads = THREADS * (unsigned)scale_of(argc, argv);
    watchdog(60);
    struct growth growth = {0};
    watched_step = "errors in the main thread";
    for (int i = 0; i < ERRORS_IN_MAIN; i++) {
        provoke((unsigned)i);
        growth_sample(&growth, i, ERRORS_IN_MAIN);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 1024), "error texts");
    watched_step = "errors in threads";
    for (unsigned t = 0; t < threads; t += 2) {
        pthread_t first, second;
        CHECK(pthread_create(&first, NULL, provoke_many, (void *)(uintptr_t)t) == 0, "no thread");
        CHECK(pthread_create(&second, NULL, provoke_many, (void *)(uintptr_t)(t + 1)) == 0, "no thread");
        pthread_join(first, NULL);
        pthread_join(second, NULL);
    }
    return passed();
}
