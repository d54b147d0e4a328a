/* As many threads as the argument says, one after another, each of which allocates. */
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused) {
    for (size_t size = 1; size < 4000; size += 4) {
        void *volatile block = malloc(size);
        free(block);
    }
    return unused;
}

int main(int count, char **arguments) {
    const int threads = count == 2 ? atoi(arguments[1]) : 0;
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0) {
            return 1;
        }
    }
    return 0;
}
