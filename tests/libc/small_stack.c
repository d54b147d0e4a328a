// How much stack the heap takes. musl allows threads of PTHREAD_STACK_MIN = 2 KiB, and its own heap works in
// them. A painted stack measures the depth of each operation; then threads with the smallest stack run for
// real: musl rounds it up to whole pages, so they have a little more. Option: depth-bytes=N is the most that
// any operation may take, in bytes.
#include "check.h"
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

enum { STACK = 256 * 1024, PAINT = 0xA5 };

static void *block;
static size_t size_to_use;
static char operations_done[1]; // any address, as a result that is not NULL

static void *nothing(void *unused) {
    return unused;
}

static void *first_malloc(void *unused) {
    (void)unused;
    block = malloc(size_to_use);
    return block;
}

static void *resize(void *unused) {
    (void)unused;
    block = realloc(block, size_to_use * 2);
    return block;
}

static void *release(void *unused) {
    free(block);
    return unused;
}

static void *zeroed(void *unused) {
    (void)unused;
    block = calloc(1, size_to_use);
    return block;
}

static void *aligned(void *unused) {
    (void)unused;
    block = aligned_alloc(4096, size_to_use);
    return block;
}

static void *many(void *unused) {
    (void)unused;
    static void *blocks[500];
    for (size_t i = 0; i < 500; i++)
        blocks[i] = malloc(size_to_use % 9000 + i * 4);
    for (size_t i = 0; i < 500; i++)
        free(blocks[i * 7 % 500]);
    return blocks;
}

static const struct {
    void *(*run)(void *);
    const char *name;
} operations[] = {
    {first_malloc, "malloc"}, {resize, "realloc"},        {release, "free"}, {zeroed, "calloc"},
    {release, "free"},        {aligned, "aligned_alloc"}, {release, "free"}, {many, "many blocks"},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

// The bytes of a painted stack that a thread has touched, thread start and end included.
static size_t depth_of(void *(*run)(void *)) {
    static unsigned char *stack;
    if (stack == NULL)
        stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED, "no memory for a stack");
    memset(stack, PAINT, STACK);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstack(&attributes, stack, STACK) == 0, "setstack failed");
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, &attributes, run, operations_done) == 0, "no thread");
    pthread_join(thread, &result);
    CHECK(result != NULL, "no memory in a thread");
    size_t untouched = 0;
    while (untouched < STACK && stack[untouched] == PAINT)
        untouched++;
    return STACK - untouched;
}

static void run_with_smallest_stack(void *(*run)(void *)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0, "setstacksize failed");
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, &attributes, run, operations_done) == 0,
          "no thread with the smallest stack");
    pthread_join(thread, &result);
    CHECK(result != NULL, "no memory in a thread with the smallest stack");
}

int main(int argc, char **argv) {
    int scale = scale_of(argc, argv);
    long allowed = option_of(argc, argv, "depth-bytes", PTHREAD_STACK_MIN);
    watchdog(60);
    static const size_t sizes[] = {24, 1000, 9000, 70000, 400000, 5000000, 50000000};
    size_t deepest = 0, deepest_size = 0, base = depth_of(nothing);
    const char *deepest_name = "";
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int o = 0; o < OPERATIONS; o++) {
            size_to_use = sizes[s];
            watched_step = operations[o].name;
            size_t depth = depth_of(operations[o].run);
            if (depth > deepest) {
                deepest = depth;
                deepest_size = sizes[s];
                deepest_name = operations[o].name;
            }
        }
    fprintf(stderr, "report: deepest stack %zu bytes (%s, size %zu), of which %zu without allocating\n",
            deepest, deepest_name, deepest_size, base);
    CHECK((long)deepest <= allowed, "%s of %zu bytes takes %zu bytes of stack, more than %ld", deepest_name,
          deepest_size, deepest, allowed);
    for (int i = 0; i < 50 * scale; i++)
        for (int o = 0; o < OPERATIONS; o++) {
            watched_step = "smallest stack";
            size_to_use = sizes[(size_t)i % (sizeof sizes / sizeof *sizes)];
            run_with_smallest_stack(operations[o].run);
        }
    return passed();
}
