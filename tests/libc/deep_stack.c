// A thread with default attributes has the 8 MiB of stack that the link asked for (-z stack-size), while it
// allocates on every level; without that option musl gives it 128 KiB.
#include "check.h"
#include <pthread.h>

enum { FRAME = 4096, DEPTH = 7680 * 1024 / FRAME, STACK = 8 * 1024 * 1024 };

struct frame {
    struct frame *below;
    char *block;
    unsigned char bytes[FRAME - 256];
};

static int descend(struct frame *below, int depth) {
    struct frame frame = {.below = below, .block = malloc(64)};
    CHECK(frame.block != NULL, "no memory at depth %d", depth);
    memset(frame.bytes, depth, sizeof frame.bytes);
    int sum = depth < DEPTH ? descend(&frame, depth + 1) : 0;
    for (size_t i = 0; i < sizeof frame.bytes; i += 64)
        CHECK(frame.bytes[i] == (unsigned char)depth, "the frame at depth %d is damaged", depth);
    free(frame.block);
    return sum + 1;
}

static void *run(void *unused) {
    (void)unused;
    CHECK(descend(NULL, 0) == DEPTH + 1, "not every level came back");
    return NULL;
}

int main(void) {
    watchdog(60);
    watched_step = "descend";
    pthread_attr_t attributes;
    size_t size = 0;
    pthread_t thread;
    CHECK(pthread_getattr_default_np(&attributes) == 0, "no default attributes");
    CHECK(pthread_attr_getstacksize(&attributes, &size) == 0 && size >= STACK,
          "the default stack is %zu bytes", size);
    for (int i = 0; i < 5; i++) {
        CHECK(pthread_create(&thread, NULL, run, NULL) == 0, "no thread");
        pthread_join(thread, NULL);
    }
    return passed();
}
