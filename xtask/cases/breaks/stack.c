/* Whether a thread that says nothing of its stack may use 1 MiB of it. */
#include <pthread.h>

enum { FRAME = 4096, DEPTH = 256 };

static int deep(int left) {
    volatile char frame[FRAME];
    for (int i = 0; i < FRAME; i += 512)
        frame[i] = (char)left;
    return (left > 0 ? deep(left - 1) : 0) + frame[512] - frame[0];
}

static void *run(void *argument) {
    return deep(DEPTH) == 0 ? argument : NULL;
}

int main(void) {
    pthread_t thread;
    void *answer;
    int own;
    if (pthread_create(&thread, NULL, run, &own) != 0 || pthread_join(thread, &answer) != 0)
        return 1;
    return answer == &own ? 0 : 1;
}
