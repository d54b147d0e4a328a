// What a heap does when the program damages it. Each kind of damage is done in a child, which must not live
// to tell: a heap that promises to notice ends it with a signal. `free-twice=0` and so on say that a heap
// does not promise that one; then the child may do as it likes. What was noticed is reported.
#include "check.h"
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { SIZE = 200, OTHERS = 8 };

static void *volatile blocks[OTHERS];

// Blocks of a size that the program uses all the time: a heap may know more of the first ones.
static void allocate(void) {
    for (int i = 0; i < 1000; i++) {
        void *const volatile block = malloc(SIZE);
        free(block);
    }
    for (int i = 0; i < OTHERS; i++) {
        blocks[i] = malloc(SIZE);
        CHECK(blocks[i] != NULL, "no memory");
        memset(blocks[i], 1, SIZE);
    }
}

static void free_twice(void) {
    allocate();
    free(blocks[2]);
    free(blocks[2]);
}

static void free_twice_with_others_between(void) {
    allocate();
    free(blocks[2]);
    free(blocks[3]);
    free(blocks[4]);
    free(blocks[2]);
}

// The heap may notice it as late as when the block would be someone's a second time.
static void free_twice_and_allocate(void) {
    free_twice_with_others_between();
    for (int i = 0; i < 100; i++)
        blocks[0] = malloc(SIZE);
}

static void resize_after_free(void) {
    allocate();
    free(blocks[2]);
    blocks[2] = realloc(blocks[2], SIZE * 10);
}

static void free_the_middle(void) {
    allocate();
    free((char *)blocks[2] + 16);
}

static void free_off_by_one(void) {
    allocate();
    free((char *)blocks[2] + 1);
}

static void free_the_stack(void) {
    char text[256];
    memset(text, 0, sizeof text);
    void *volatile inside = (void *)(((uintptr_t)text + 127) & ~(uintptr_t)63);
    allocate();
    free(inside);
}

// As large as its slot, so that the next byte is the heap's own.
static void write_past_the_end(void) {
    allocate();
    size_t size = malloc_usable_size(blocks[2]);
    memset(blocks[2], 0x41, size + 1);
    free(blocks[2]);
}

// Into the block that the heap put behind it, whichever that is.
static void write_into_the_next(void) {
    allocate();
    size_t size = malloc_usable_size(blocks[2]);
    memset(blocks[2], 0x41, size * 2);
    for (int i = 0; i < OTHERS; i++)
        free(blocks[i]);
}

// No heap can notice a read. What it can do is to leave nothing to be read.
static void read_after_free(void) {
    allocate();
    free(blocks[2]);
    if (((volatile unsigned char *)blocks[2])[SIZE / 2] != 1)
        raise(SIGKILL);
}

static void write_after_free(void) {
    allocate();
    free(blocks[3]);
    free(blocks[2]);
    memset(blocks[2], 0x41, 8);
    for (int i = 0; i < 100; i++)
        blocks[0] = malloc(SIZE);
}

// Past what was asked for, but not past what the heap may have given.
static void write_past_what_was_asked(void) {
    allocate();
    memset(blocks[2], 0x41, SIZE + 1);
    free(blocks[2]);
}

// Where no link lies, and long before the block comes back.
static void write_after_free_inside(void) {
    allocate();
    free(blocks[2]);
    ((volatile char *)blocks[2])[SIZE / 2] = 0x41;
    for (int i = 0; i < 1000; i++)
        free(malloc(SIZE));
}

static void use_large_after_free(void) {
    char *volatile block = malloc(1 << 20);
    CHECK(block != NULL, "no memory");
    free(block);
    *(volatile char *)block = 0x41;
}

// Not damage, but what makes it hard to use: no one can tell which block comes next.
static void check_order(void) {
    int same = 0;
    for (int i = 0; i < 500; i++) {
        void *const first = malloc(SIZE);
        free(first);
        void *const next = malloc(SIZE);
        same += next == first;
        free(next);
    }
    CHECK(same < 100, "a freed block came back at once, %d times of 500", same);
}

static const struct {
    const char *option;
    void (*damage)(void);
    long promised;
} kinds[] = {
    {"free-twice", free_twice, 1},
    {"free-twice-later", free_twice_with_others_between, 1},
    {"free-twice-used", free_twice_and_allocate, 0},
    {"resize-after-free", resize_after_free, 1},
    {"free-middle", free_the_middle, 1},
    {"free-off-by-one", free_off_by_one, 1},
    {"free-stack", free_the_stack, 1},
    {"write-past-end", write_past_the_end, 1},
    {"write-into-next", write_into_the_next, 0},
    {"write-after-free", write_after_free, 0},
    {"write-past-asked", write_past_what_was_asked, 0},
    {"write-after-free-inside", write_after_free_inside, 0},
    {"use-large-after-free", use_large_after_free, 0},
    {"read-after-free", read_after_free, 0},
};

int main(int argc, char **argv) {
    watchdog(60);
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        watched_step = kinds[i].option;
        pid_t child = fork();
        CHECK(child >= 0, "cannot fork");
        if (child == 0) {
            close(STDERR_FILENO); // what the heap has to say is not judged
            alarm(10);
            kinds[i].damage();
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child, "cannot wait");
        bool noticed = WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM;
        if (noticed)
            fprintf(stderr, "report: noticed %s\n", kinds[i].option);
        CHECK(noticed || !option_of(argc, argv, kinds[i].option, kinds[i].promised),
              "%s was not noticed (status %x)", kinds[i].option, (unsigned)status);
    }
    if (option_of(argc, argv, "random-order", 0))
        check_order();
    return passed();
}
