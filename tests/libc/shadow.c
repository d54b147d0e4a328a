// Everything at once, at random, against a shadow: every function of the malloc family, blocks that the
// library itself allocates (getline, asprintf, memory streams, …) and that the program frees, threads that
// begin and end all the time (joined or detached, with destructors that free), blocks that wander between
// them, and forks in the middle of it, whose children go on working. Each block has a pattern, and its place
// in a map of all blocks (shadow.h), so a block that two have got is found even while no one writes.
//
// Options: seed=N (without one, a new one every time; it is printed), threads=N, operations=N, forks=N,
// largest-shift=N for the largest alignment.
#include "shadow.h"
#include <dirent.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <wchar.h>

enum { SLOTS = 160, EXCHANGE = 64, OPERATIONS = 40000, THREAD_LIFE = 3000, CHILD_OPERATIONS = 300 };

// Not every libc has it.
__attribute__((weak)) int malloc_trim(size_t keep);

struct block {
    void *start;
    size_t size;   // that the pattern fills
    size_t usable; // that is claimed
    uint64_t pattern;
};

struct owner {
    uint64_t random;
    bool forks; // whether this thread may fork
    struct block slots[SLOTS];
};

static struct block *_Atomic exchange[EXCHANGE];
static _Atomic long operations_left, forks_left;
static _Atomic int running;
static unsigned largest_shift;
static pthread_key_t leftovers;
static uint64_t first_seed;

static void claim(struct block *block, void *start, size_t size, uint64_t pattern) {
    const size_t usable = malloc_usable_size(start);
    CHECK(usable >= size, "malloc_usable_size says %zu for a block of %zu bytes", usable, size);
    shadow_turn(start, usable, true);
    *block = (struct block){start, size, usable, pattern};
    pattern_fill(start, size, pattern);
}

static void check_block(const struct block *block) {
    CHECK_PATTERN(block->start, block->size, block->pattern, "shadow");
    const size_t usable = malloc_usable_size(block->start);
    CHECK(usable == block->usable, "the usable size of %p went from %zu to %zu", block->start, block->usable,
          usable);
}

static void release(struct block *block) {
    check_block(block);
    shadow_turn(block->start, block->usable, false);
    free(block->start);
    *block = (struct block){0};
}

static void allocate(struct owner *owner, struct block *block) {
    uint64_t *const random = &owner->random;
    size_t size = random_size(random);
    size_t alignment =
        (size_t)1 << random_below(random, random_below(random, 16) == 0 ? largest_shift + 1 : 11);
    void *start = NULL;
    switch (random_below(random, 12)) {
    case 0:
    case 1:
        start = calloc(size / 4 + 1, 4);
        size = (size / 4 + 1) * 4;
        CHECK(start == NULL || all_zero(start, size), "calloc of %zu bytes is not zero", size);
        alignment = required_alignment(size);
        break;
    case 2:
        start = aligned_alloc(alignment, size);
        break;
    case 3:
        alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
        CHECK(posix_memalign(&start, alignment, size) == 0, "posix_memalign(%zu, %zu) failed", alignment,
              size);
        break;
    case 4:
        start = memalign(alignment, size);
        break;
    case 5:
        alignment = 4096;
        start = random_below(random, 4) == 0 ? valloc(size) : aligned_alloc(alignment, size);
        break;
    case 6:
        start = reallocarray(NULL, size / 3 + 1, 3);
        size = (size / 3 + 1) * 3;
        alignment = required_alignment(size);
        break;
    default:
        start = malloc(size);
        alignment = required_alignment(size);
    }
    CHECK(start != NULL, "no memory for %zu bytes, alignment %zu", size, alignment);
    CHECK(is_aligned(start, alignment), "%p is not aligned to %zu (size %zu)", start, alignment, size);
    claim(block, start, size, random_next(random));
}

static void resize(struct owner *owner, struct block *block) {
    uint64_t *const random = &owner->random;
    size_t size = random_below(random, 3) == 0 ? block->size + random_below(random, 64) : random_size(random);
    size += size == 0;
    const uint64_t pattern = block->pattern;
    shadow_turn(block->start, block->usable, false);
    void *start;
    if (random_below(random, 4) == 0) {
        size = (size + 7) / 8 * 8;
        start = reallocarray(block->start, size / 8, 8);
    } else {
        start = realloc(block->start, size);
    }
    CHECK(start != NULL, "no memory to resize %zu to %zu bytes", block->size, size);
    CHECK(is_aligned(start, required_alignment(size)), "realloc answers %p for %zu bytes", start, size);
    const size_t kept = size < block->size ? size : block->size;
    const size_t broken = pattern_broken_at(start, kept, pattern);
    CHECK(broken == kept, "realloc from %zu to %zu bytes lost byte %zu", block->size, size, broken);
    claim(block, start, size, random_next(random));
}

// Every usable byte may be written, not only the ones asked for.
static void use_all(struct owner *owner, struct block *block) {
    const uint64_t pattern = random_next(&owner->random);
    pattern_fill(block->start, block->usable, pattern);
    block->size = block->usable;
    block->pattern = pattern;
}

// Leaves the block to anyone who comes next to this place, and takes what the last one left there.
static void swap_with_others(struct owner *owner, struct block *block) {
    struct block *const parcel = malloc(sizeof *parcel);
    CHECK(parcel != NULL, "no memory for a parcel");
    *parcel = *block;
    struct block *const found = atomic_exchange(&exchange[random_below(&owner->random, EXCHANGE)], parcel);
    *block = (struct block){0};
    if (found != NULL) {
        *block = *found;
        check_block(block);
        free(found);
    }
}

// The library allocates, the program frees.
static void take_from_libc(struct owner *owner, struct block *block) {
    uint64_t *const random = &owner->random;
    static const char text[] = "what the library hands out is a block like any other";
    char *start = NULL;
    size_t size = 0;
    switch (random_below(random, 7)) {
    case 0:
        start = strdup(text + random_below(random, sizeof text));
        size = strlen(start) + 1;
        break;
    case 1:
        start = strndup(text, random_below(random, sizeof text));
        size = strlen(start) + 1;
        break;
    case 2: {
        const int width = (int)random_below(random, 5000);
        CHECK(asprintf(&start, "%*d", width, 7) >= 1, "asprintf failed");
        size = strlen(start) + 1;
        CHECK(size > (size_t)width && start[size - 2] == '7', "asprintf gave other text");
        break;
    }
    case 3: {
        FILE *const stream = open_memstream(&start, &size);
        CHECK(stream != NULL, "open_memstream failed");
        const size_t lines = random_below(random, 300);
        for (size_t line = 0; line < lines; line++)
            fprintf(stream, "%06zu\n", line);
        CHECK(fclose(stream) == 0 && size == 7 * lines, "the stream has %zu bytes", size);
        CHECK(lines == 0 || memcmp(start + size - 7, "0", 1) == 0, "the text is damaged");
        break;
    }
    case 4: {
        char line[1200];
        const size_t length = 1 + random_below(random, sizeof line - 1);
        memset(line, 'x', length);
        line[length - 1] = '\n';
        FILE *const stream = fmemopen(line, length, "r");
        CHECK(stream != NULL, "fmemopen failed");
        size_t capacity = 0;
        CHECK(getline(&start, &capacity, stream) == (ssize_t)length, "getline failed");
        fclose(stream);
        size = length + 1;
        CHECK(capacity >= size, "getline says %zu bytes for %zu", capacity, size);
        break;
    }
    case 5:
        start = realpath("/proc/self/..", NULL);
        CHECK(start != NULL, "realpath failed");
        size = strlen(start) + 1;
        break;
    default:
        start = (char *)wcsdup(L"wide");
        CHECK(start != NULL && wcscmp((wchar_t *)(void *)start, L"wide") == 0, "wcsdup failed");
        size = 5 * sizeof(wchar_t);
    }
    CHECK(start != NULL, "the library gave nothing");
    claim(block, start, size, random_next(random));
}

static int compare_words(const void *left, const void *right) {
    return strcmp(left, right);
}

// The library allocates and frees.
static void have_libc_work(struct owner *owner) {
    switch (random_below(&owner->random, 5)) {
    case 0: {
        regex_t expression;
        CHECK(regcomp(&expression, "^(a|b+)[0-9]{2,5}(x|y)*$", REG_EXTENDED) == 0, "regcomp failed");
        CHECK(regexec(&expression, "bbb1234xyx", 0, NULL, 0) == 0, "regexec finds nothing");
        regfree(&expression);
        break;
    }
    case 1: {
        DIR *const folder = opendir("/proc/self");
        CHECK(folder != NULL && readdir(folder) != NULL, "cannot read a folder");
        closedir(folder);
        break;
    }
    case 2: {
        static const char words[6][4] = {"six", "one", "two", "ten", "all", "end"};
        void *root = NULL;
        for (int at = 0; at < 6; at++)
            CHECK(tsearch(words[at], &root, compare_words) != NULL, "tsearch failed");
        for (int at = 0; at < 6; at++)
            CHECK(tdelete(words[at], &root, compare_words) != NULL, "tdelete failed");
        break;
    }
    case 3: {
        posix_spawn_file_actions_t actions;
        CHECK(posix_spawn_file_actions_init(&actions) == 0, "no list of file actions");
        CHECK(posix_spawn_file_actions_addopen(&actions, 9, "/dev/null", O_RDONLY, 0) == 0, "no file action");
        posix_spawn_file_actions_destroy(&actions);
        break;
    }
    default: {
        const locale_t locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
        if (locale != (locale_t)0)
            freelocale(locale);
    }
    }
}

static void fork_here(struct owner *owner);

static void operate(struct owner *owner) {
    uint64_t *const random = &owner->random;
    struct block *const block = &owner->slots[random_below(random, SLOTS)];
    const size_t kind = random_below(random, 1000);
    if (kind == 0 && malloc_trim != NULL) {
        malloc_trim(0);
    } else if (kind < 6) {
        have_libc_work(owner);
    } else if (kind < 8 && owner->forks) {
        fork_here(owner);
    } else if (block->start == NULL) {
        if (random_below(random, 12) == 0)
            take_from_libc(owner, block);
        else
            allocate(owner, block);
    } else {
        check_block(block);
        switch (random_below(random, 8)) {
        case 0:
        case 1:
            resize(owner, block);
            break;
        case 2:
            swap_with_others(owner, block);
            break;
        case 3:
            use_all(owner, block);
            break;
        default:
            release(block);
        }
    }
}

static void release_all(struct owner *owner) {
    for (int at = 0; at < SLOTS; at++)
        if (owner->slots[at].start != NULL)
            release(&owner->slots[at]);
}

// The thread's key: a destructor frees what its thread has left, and allocates while it does.
static void destroy_leftovers(void *value) {
    struct owner *const owner = value;
    for (int at = 0; at < 50; at++)
        operate(owner);
    release_all(owner);
    free(owner);
    atomic_fetch_sub(&running, 1);
}

static struct owner *new_owner(uint64_t seed) {
    struct owner *const owner = calloc(1, sizeof *owner);
    CHECK(owner != NULL, "no memory for a thread's own");
    owner->random = seed * 0x9E3779B97F4A7C15ULL | 1;
    for (int at = 0; at < 4; at++)
        random_next(&owner->random);
    return owner;
}

static void *live(void *argument) {
    struct owner *const owner = argument;
    CHECK(pthread_setspecific(leftovers, owner) == 0, "no place for the thread's own");
    const size_t life = 1 + random_below(&owner->random, THREAD_LIFE);
    for (size_t at = 0; at < life && atomic_fetch_sub(&operations_left, 1) > 0; at++)
        operate(owner);
    if (random_below(&owner->random, 2) == 0)
        release_all(owner);
    return NULL;
}

// A child has one thread and all memory as it was. Its blocks, and those that wait to be taken over, must be
// whole, and it can go on, also with new threads.
static void work_in_child(struct owner *owner) {
    watchdog(120);
    watched_step = "work in a child of fork";
    owner->forks = false;
    for (int at = 0; at < SLOTS; at++)
        if (owner->slots[at].start != NULL)
            check_block(&owner->slots[at]);
    for (int at = 0; at < CHILD_OPERATIONS; at++)
        operate(owner);
    atomic_store(&operations_left, CHILD_OPERATIONS);
    struct owner *const other = new_owner(random_next(&owner->random));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, live, other) == 0, "no thread in a child");
    pthread_join(thread, NULL);
    release_all(owner);
    _exit(0);
}

static void fork_here(struct owner *owner) {
    if (atomic_fetch_sub(&forks_left, 1) <= 0)
        return;
    const pid_t child = fork();
    CHECK(child >= 0, "cannot fork");
    if (child == 0)
        work_in_child(owner);
    int status;
    CHECK(waitpid(child, &status, 0) == child, "cannot wait");
    CHECK(status == 0, "a child ended with status %x", (unsigned)status);
}

// Seeds come from the first one, so that each thread does the same in every run with it. (When it does so is
// up to the system.)
static struct owner *next_owner(uint64_t *seeds) {
    struct owner *const owner = new_owner(random_next(seeds));
    owner->forks = true;
    return owner;
}

static void run_threads(long limit, uint64_t *seeds) {
    while (atomic_load(&operations_left) > 0) {
        pthread_t joined[64];
        int count = 0;
        for (; atomic_load(&running) < limit && count < 64; count++) {
            atomic_fetch_add(&running, 1);
            CHECK(pthread_create(&joined[count], NULL, live, next_owner(seeds)) == 0, "no thread");
            if (count % 3 == 2)
                pthread_detach(joined[count]);
        }
        for (int at = 0; at < count; at++)
            if (at % 3 != 2)
                pthread_join(joined[at], NULL);
        watched_round++;
        usleep(200);
    }
    watched_step = "the end of the last threads";
    while (atomic_load(&running) > 0)
        usleep(1000);
}

int main(int argc, char **argv) {
    long seed = option_of(argc, argv, "seed", 0);
    if (seed == 0)
        CHECK(getrandom(&seed, sizeof seed, 0) == sizeof seed, "no random seed");
    first_seed = (uint64_t)(seed & LONG_MAX);
    char line[64];
    write_stderr(line,
                 (size_t)snprintf(line, sizeof line, "report: seed\t%llu\n", (unsigned long long)first_seed));
    const int scale = scale_of(argc, argv);
    operations_left = option_of(argc, argv, "operations", OPERATIONS) * scale;
    forks_left = option_of(argc, argv, "forks", 20) * scale;
    largest_shift = (unsigned)option_of(argc, argv, "largest-shift", 16);
    watchdog(60 + 30 * (unsigned)scale);
    watched_step = "random work";
    shadow_start();
    CHECK(pthread_key_create(&leftovers, destroy_leftovers) == 0, "no key");
    uint64_t seeds = first_seed | 1;
    run_threads(option_of(argc, argv, "threads", 6), &seeds);
    for (int at = 0; at < EXCHANGE; at++) {
        if (exchange[at] != NULL) {
            release(exchange[at]);
            free(exchange[at]);
        }
    }
    CHECK(shadow_sum() == 0, "%zu bytes still belong to somebody", shadow_sum());
    return passed();
}
