/* The sorts beside a simple one: sizes, alignments, patterns, comparisons that contradict themselves, an adversary,
 * a small stack, and a comparison that does not return. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void brawn_qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void brawn_qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);

#define CHECK(what, ...)                                                                                     \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            fprintf(stderr, "%s:%d: %s", __FILE__, __LINE__, #what);                                         \
            fprintf(stderr, __VA_ARGS__);                                                                    \
            fputc('\n', stderr);                                                                             \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static uint64_t seed = 88172645463325252;

static uint64_t chance(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* What a comparison gets: the array that both of its elements have to be in. */
struct range {
    const char *base;
    size_t count, size;
    unsigned long calls, limit;
    int kind;
    jmp_buf out;
};

static void inside(const struct range *range, const void *element) {
    size_t at = (size_t)((const char *)element - range->base);
    CHECK(at < range->count * range->size && at % range->size == 0, " (%zu of %zu x %zu)", at, range->count,
          range->size);
}

static int by_bytes(const void *a, const void *b, void *argument) {
    struct range *range = argument;
    inside(range, a);
    inside(range, b);
    range->calls++;
    return memcmp(a, b, range->size);
}

static struct range *global;

static int by_bytes_of_global(const void *a, const void *b) {
    return by_bytes(a, b, global);
}

/* Memory with a page before and behind that may not be touched: `bytes` that end at the second. */
static char *guarded(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes + page - 1) / page * page;
    char *map = mmap(NULL, inner + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(map != MAP_FAILED, " of %zu", bytes);
    mprotect(map, page, PROT_NONE);
    mprotect(map + page + inner, page, PROT_NONE);
    return map + page + inner - bytes;
}

enum { PATTERNS = 9 };

static uint64_t key(int pattern, size_t i, size_t count) {
    switch (pattern) {
    case 0:
        return chance();
    case 1:
        return i;
    case 2:
        return count - i;
    case 3:
        return 7;
    case 4:
        return chance() % 3;
    case 5:
        return i % 17;
    case 6:
        return i < count / 2 ? i : count - i;
    case 7:
        return i + 1 == count ? 0 : i;
    default:
        return chance() % 50 ? i : chance() % count;
    }
}

static void fill(char *base, size_t count, size_t size, int pattern) {
    for (size_t i = 0; i < count; i++) {
        uint64_t value = key(pattern, i, count);
        for (size_t j = 0; j < size; j++)
            base[i * size + j] =
                (char)(j < 8 ? value >> (8 * (j < size && size < 8 ? size - 1 - j : 7 - j)) : value * j);
    }
}

/* The reference: insertion into a list of pointers would be slow, so a merge sort that is as plain as can be. */
static void merge_sort(char *base, char *room, size_t count, size_t size) {
    if (count < 2)
        return;
    size_t half = count / 2;
    merge_sort(base, room, half, size);
    merge_sort(base + half * size, room, count - half, size);
    memcpy(room, base, half * size);
    for (size_t a = 0, b = half, to = 0; a < half; to++) {
        int second = b < count && memcmp(room + a * size, base + b * size, size) > 0;
        memcpy(base + to * size, second ? base + b++ * size : room + a++ * size, size);
    }
}

static void orders(size_t count, size_t size, int pattern) {
    size_t bytes = count * size;
    static char wanted[400000], room[400000];
    static char *place;
    if (!place)
        place = guarded(sizeof wanted) + sizeof wanted;
    /* Every other pattern begins at an odd address, or at any. */
    char *base = place - bytes - pattern % 2 * 3;
    fill(base, count, size, pattern);
    memcpy(wanted, base, bytes);
    struct range range = {.base = base, .count = count, .size = size};
    if (size & 1) {
        global = &range;
        brawn_qsort(base, count, size, by_bytes_of_global);
    } else
        brawn_qsort_r(base, count, size, by_bytes, &range);
    merge_sort(wanted, room, count, size);
    CHECK(!memcmp(base, wanted, bytes), " (%zu x %zu, pattern %d)", count, size, pattern);
    if (pattern == 1 || pattern == 3)
        CHECK(count < 2 || size < 2 || range.calls == count - 1, " (%lu for %zu)", range.calls, count);
}

static int contradicts(const void *a, const void *b, void *argument) {
    struct range *range = argument;
    inside(range, a);
    inside(range, b);
    range->calls++;
    switch (range->kind) {
    case 0:
        return 1;
    case 1:
        return -1;
    case 2:
        return (int)chance();
    case 3:
        return (int)(range->calls % 3) - 1;
    case 4:
        return range->calls % 7 ? 1 : -1;
    case 5:
        return INT_MIN;
    case 6:
        return a < b ? 1 : -1;
    case 7:
        return (int)(chance() % 2);
    default:
        return range->calls & 64 ? 0 : memcmp(a, b, range->size);
    }
}

/* Elements that are all different have to be all there. */
static void all_there(const uint32_t *base, size_t count, size_t words) {
    static uint8_t seen[5000];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < count; i++) {
        uint32_t number;
        memcpy(&number, base + i * words, 4);
        CHECK(number < count && !seen[number], " (%u of %zu)", number, count);
        seen[number] = 1;
        CHECK(base[i * words + words - 1] == number, " (element %u is torn)", number);
    }
}

static void contradictions(void) {
    static const size_t counts[] = {2, 3, 4, 5, 7, 9, 16, 31, 32, 33, 34, 100, 257, 1000, 4999};
    for (size_t words = 1; words <= 5; words++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            size_t count = counts[c];
            uint32_t *base = (uint32_t *)guarded(count * words * 4);
            for (int kind = 0; kind < 9; kind++) {
                for (size_t i = 0; i < count * words; i++)
                    base[i] = (uint32_t)(i / words);
                struct range range = {.base = (char *)base, .count = count, .size = words * 4, .kind = kind};
                brawn_qsort_r(base, count, words * 4, contradicts, &range);
                all_there(base, count, words);
                CHECK(range.calls < 10000 || range.calls < count * 13 * 10, " (%lu for %zu)", range.calls,
                      count);
            }
        }
    }
}

/* McIlroy's adversary: it decides what an element is when it has to, and as badly as it can. */
static uint32_t *values, solid, candidate;

static int adversary(const void *a, const void *b, void *argument) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b, gas = UINT32_MAX;
    ++*(unsigned long *)argument;
    if (values[x] == gas && values[y] == gas)
        values[x == candidate ? x : y] = solid++;
    if (values[x] == gas)
        candidate = x;
    else if (values[y] == gas)
        candidate = y;
    return (values[x] > values[y]) - (values[x] < values[y]);
}

static unsigned long killed(uint32_t count) {
    uint32_t *base = malloc(count * 4u);
    values = malloc(count * 4u);
    candidate = 0;
    solid = 2;
    unsigned lg = 0;
    for (uint32_t i = 0; i < count; i++)
        base[i] = i, values[i] = UINT32_MAX;
    while (1u << lg < count)
        lg++;
    /* Not in order, or it would be done at once. */
    values[0] = 1;
    values[1] = 0;
    unsigned long calls = 0, percent;
    brawn_qsort_r(base, count, 4, adversary, &calls);
    percent = calls * 100 / (count * (unsigned long)lg);
    CHECK(percent < 300, " (%lu comparisons for %u)", calls, count);
    free(base);
    free(values);
    return percent;
}

static int leaves(const void *a, const void *b, void *argument) {
    struct range *range = argument;
    if (range->calls++ == range->limit)
        longjmp(range->out, 1);
    return memcmp(a, b, 4);
}

/* Whenever the comparison leaves, every element is in the array. */
static void jumps(void) {
    for (volatile size_t words = 1; words <= 6; words += words == 2 ? 2 : 1)
        for (volatile size_t count = 5; count < 3000; count = count * 3 + 1) {
            static uint32_t base[20000];
            static struct range range;
            for (range.limit = 0;; range.limit += 1 + range.limit / 40) {
                for (size_t i = 0; i < count; i++)
                    for (size_t j = 0; j < words; j++)
                        base[i * words + j] = (uint32_t)((i * 7919 + 3) % count);
                range.calls = 0;
                if (!setjmp(range.out)) {
                    brawn_qsort_r(base, count, words * 4, leaves, &range);
                    break;
                }
                all_there(base, count, words);
            }
        }
}

/* The least address of the stack that a sort came to, as its comparison sees it. */
static char *lowest;

static int looks_at_the_stack(const void *a, const void *b, void *argument) {
    char here;
    char *volatile at = &here;
    if (at < lowest)
        lowest = at;
    return argument ? adversary(a, b, argument) : memcmp(a, b, 4);
}

static void *on_a_small_stack(void *unused) {
    static uint32_t base[20000];
    (void)unused;
    fill((char *)base, 20000, 4, 0);
    char top;
    char *volatile at = &top;
    lowest = at;
    brawn_qsort_r(base, 20000, 4, looks_at_the_stack, NULL);
    values = calloc(20000, 4);
    for (uint32_t i = 0; i < 20000; i++)
        base[i] = i, values[i] = UINT32_MAX;
    candidate = 0;
    solid = 2;
    values[0] = 1;
    values[1] = 0;
    unsigned long calls = 0;
    brawn_qsort_r(base, 20000, 4, looks_at_the_stack, &calls);
    free(values);
    return (void *)(at - lowest);
}

int main(int count, char **arguments) {
    int part = count > 1 ? atoi(arguments[1]) : 1;
    brawn_qsort(NULL, 0, 4, by_bytes_of_global);
    brawn_qsort("x", 1, 0, by_bytes_of_global);
    brawn_qsort("x", 5, 0, by_bytes_of_global);
    for (size_t size = 1; size <= 200; size += (size_t)part)
        for (int pattern = 0; pattern < PATTERNS; pattern++)
            for (size_t n = 0; n < 1500; n = n < 40 ? n + 1 + n / 8 : n * 3 + 1)
                orders(n, size, pattern);
    for (size_t n = 0; n < 600; n++)
        for (int pattern = 0; pattern < PATTERNS; pattern++)
            orders(n, n % 2 ? 4 : 8, pattern);
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        orders(40000, 8, pattern), orders(10000, 16, pattern);
    contradictions();
    jumps();
    unsigned long worst = 0;
    for (uint32_t n = 50; n < 300000; n = n * 3 + 1) {
        unsigned long percent = killed(n);
        worst = worst > percent ? worst : percent;
    }
    pthread_attr_t attributes;
    pthread_t thread;
    void *stack;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    CHECK(!pthread_create(&thread, &attributes, on_a_small_stack, NULL), " with the smallest stack");
    pthread_join(thread, &stack);
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
    CHECK((size_t)stack < 1536, " (%zu bytes of stack)", (size_t)stack);
#endif
    printf("ok: the adversary makes it %lu %% of n log n, %zu bytes of stack\n", worst, (size_t)stack);
}
