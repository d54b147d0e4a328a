/* The sort behind qsort and qsort_r: a quicksort in place that compares a block and then moves it, so that the
 * processor has no branch to guess, with a merge sort of pointers for few elements and a heap sort for what
 * would become quadratic. docs/explain/libc.md says why.
 *
 * While the comparison runs, every element is in the array exactly once, and it is given only elements of the
 * array: it may leave by longjmp, and whatever it answers, no address is outside. */
#include "move.h"
#include "sort.h"

#define SMALL 32   /* this many are sorted by merging pointers */
#define BLOCK 128  /* compared before some are moved */
#define PENDING 32 /* parts that wait for their turn */

struct sort {
    compare_fn compare;
    void *argument;
    size_t size;
    union {
        struct {
            uint8_t left[BLOCK], right[BLOCK];
        };
        char *order[2][SMALL];
    };
};

/* Whether b has to be before a. */
INLINE size_t wrong(struct sort *s, const char *a, const char *b) {
    return s->compare(a, b, s->argument) > 0;
}

#if defined(__clang__)
#define PICK(which, yes, no) (__builtin_unpredictable(which) ? (yes) : (no))
#else
#define PICK(which, yes, no) ((which) ? (yes) : (no))
#endif

INLINE void order2(struct sort *s, char **p) {
    char *a = p[0], *b = p[1];
    size_t swapped = wrong(s, a, b);
    p[0] = PICK(swapped, b, a);
    p[1] = PICK(swapped, a, b);
}

/* Two to four pointers; they stay a permutation whatever the answers are. */
INLINE void order_few(struct sort *s, char **p, size_t count) {
    order2(s, p);
    if (count == 2)
        return;
    if (count == 4)
        order2(s, p + 2);
    char *a = p[0], *b = p[1], *c = p[2];
    size_t third = wrong(s, a, c);
    if (count == 3) {
        size_t second = wrong(s, b, c);
        third &= second;
        p[0] = PICK(third, c, a);
        char *middle = PICK(third, a, c);
        p[1] = PICK(second, middle, b);
        p[2] = PICK(second, b, c);
        return;
    }
    char *d = p[3];
    size_t last = wrong(s, b, d);
    p[0] = PICK(third, c, a);
    p[3] = PICK(last, b, d);
    /* The two that are neither first nor last, in their order. */
    char *other = PICK(last, c, b), *more = PICK(third, b, c);
    p[1] = PICK(third, a, other);
    p[2] = PICK(last, d, more);
    order2(s, p + 1);
}

/* Merges from[0..half] and from[half..count], whose lengths differ by one at most, from both ends at once: neither
 * end waits for the other, and no step has to look whether a side is empty. */
INLINE void merge(struct sort *s, char **restrict to, char **from, size_t half, size_t count) {
    char **a = from, **b = from + half, **y = from + half - 1, **z = from + count - 1;
    char **low = to, **high = to + count - 1;
    for (size_t steps = count / 2; steps; steps--) {
        size_t second = wrong(s, *a, *b);
        char **least = PICK(second, b, a);
        *low++ = *least;
        b += second;
        a += 1 - second;
        size_t first = wrong(s, *y, *z);
        char **most = PICK(first, y, z);
        *high-- = *most;
        y -= first;
        z -= 1 - first;
    }
    if (count & 1) {
        size_t second = a > y;
        *low = second ? *b : *a;
        b += second;
        a += 1 - second;
    }
    /* The ends did not meet, as the comparison contradicted itself: some pointers are there twice. */
    if (a != y + 1)
        for (size_t i = 0; i < count; i++)
            to[i] = from[i];
}

/* Orders pointers to the elements base, base + stride, …: 2 to SMALL. Returns where they are. */
static char **order(struct sort *s, char *base, size_t stride, size_t count) {
    char **now = s->order[0];
    for (size_t i = 0; i < count; i++)
        now[i] = base + i * stride;
    size_t parts = 1, shift = 0;
    while (count > parts * 4)
        parts *= 2, shift++;
    for (size_t i = 0, from = 0; i < parts; i++) {
        size_t to = (i + 1) * count >> shift;
        order_few(s, now + from, to - from);
        from = to;
    }
    while (shift) {
        char **next = s->order[now == s->order[0]];
        for (size_t i = 0, from = 0; i < parts; i += 2) {
            size_t half = (i + 1) * count >> shift, to = (i + 2) * count >> shift;
            merge(s, next + from, now + from, half - from, to - from);
            from = to;
        }
        parts /= 2;
        shift--;
        now = next;
    }
    return now;
}

/* Not inline, where it is not often or the size is any. */
static __attribute__((noinline)) void exchange(char *a, char *b, size_t size) {
    swap(a, b, size);
}

#define GATHER(type)                                                                                         \
    do {                                                                                                     \
        type *sorted = (type *)s->order[now == s->order[0]];                                                 \
        for (size_t i = 0; i < count; i++)                                                                   \
            __builtin_memcpy(sorted + i, now[i], sizeof(type));                                              \
        for (size_t i = 0; i < count; i++)                                                                   \
            __builtin_memcpy(base + i * sizeof(type), sorted + i, sizeof(type));                             \
    } while (0)

/* Moves the elements to where now[i] is the element for place i. */
static void arrange(struct sort *s, char *base, char **now, size_t count) {
    size_t size = s->size;
    if (size == 4) {
        GATHER(uint32_t);
        return;
    }
    if (size == 8) {
        GATHER(uint64_t);
        return;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        /* A circle of places; the element of the first goes along by swaps. */
        char *place = base + i * size, *to = place;
        for (size_t at = i;;) {
            char *from = now[at];
            now[at] = to;
            if (from == place)
                break;
            exchange(to, from, size);
            at = (size_t)(from - base) / size;
            to = from;
        }
    }
}

static void sort_small(struct sort *s, char *base, size_t count) {
    arrange(s, base, order(s, base, s->size, count), count);
}

/* The last resort. */
static __attribute__((noinline)) void heap_sort(struct sort *s, char *base, size_t count) {
    size_t size = s->size;
    for (size_t root = count / 2, end = count; end > 1;) {
        if (root)
            root--;
        else
            exchange(base, base + --end * size, size);
        /* Down to a leaf along the greater children, and up again to where the root's element belongs. */
        size_t place = root;
        while (place * 2 + 2 < end) {
            char *child = base + (place * 2 + 1) * size;
            place = place * 2 + 2 - wrong(s, child, child + size);
        }
        if (place * 2 + 2 == end)
            place = place * 2 + 1;
        while (place > root && wrong(s, base + root * size, base + place * size))
            place = (place - 1) / 2;
        for (; place > root; place = (place - 1) / 2)
            exchange(base + place * size, base + root * size, size);
    }
}

#define SWAP_OFFSETS(swap, size)                                                                             \
    for (size_t i = 0; i < count; i++)                                                                       \
    swap(left + l[i] * (size), right - r[i] * (size), (size))

INLINE void swap_offsets(char *left, char *right, const uint8_t *l, const uint8_t *r, size_t count,
                         size_t size) {
    if (size == 4)
        SWAP_OFFSETS(swap, (size_t)4);
    else if (size == 8)
        SWAP_OFFSETS(swap, (size_t)8);
    else if (size == 16)
        SWAP_OFFSETS(swap, (size_t)16);
    else
        SWAP_OFFSETS(exchange, size);
}

/* Partitions base[1..count] around base[0]: those that compare to it below `limit` come first. Returns how many
 * these are; *moved says whether an element had to move. */
static size_t partition(struct sort *s, char *base, size_t count, int limit, int *moved) {
    compare_fn compare = s->compare;
    void *argument = s->argument;
    size_t size = s->size;
    /* What is left of `first` and from `last` on is compared; what of it is on the wrong side is at `left` plus and
     * `right` minus these offsets. */
    char *first = base + size, *left = first, *last = base + count * size, *right = last;
    size_t unknown = count - 1, lefts = 0, rights = 0;
    const uint8_t *l = s->left, *r = s->right;
    *moved = 0;
    while (unknown) {
        size_t take = rights ? unknown : lefts ? 0 : unknown - unknown / 2;
        if (!lefts) {
            take = take > BLOCK ? BLOCK : take;
            unknown -= take;
            left = first;
            l = s->left;
            for (size_t i = 0; i < take; i++) {
                s->left[lefts] = (uint8_t)i;
                lefts += compare(first, base, argument) >= limit;
                first += size;
            }
        }
        if (!rights) {
            take = unknown > BLOCK ? BLOCK : unknown;
            unknown -= take;
            right = last;
            r = s->right;
            for (size_t i = 1; i <= take; i++) {
                s->right[rights] = (uint8_t)i;
                last -= size;
                rights += compare(last, base, argument) < limit;
            }
        }
        size_t both = lefts < rights ? lefts : rights;
        if (both) {
            *moved = 1;
            swap_offsets(left, right, l, r, both, size);
        }
        lefts -= both;
        rights -= both;
        l += both;
        r += both;
    }
    /* One side may be left over: the farthest of them first. */
    if (lefts | rights)
        *moved = 1;
    while (lefts) {
        last -= size;
        exchange(left + l[--lefts] * size, last, size);
        first = last;
    }
    while (rights) {
        exchange(right - r[--rights] * size, first, size);
        first += size;
    }
    return (size_t)(first - base) / size - 1;
}

/* How many at the front are in order; downwards, how many fall. */
static size_t run(struct sort *s, const char *base, size_t count, int down) {
    size_t i = 1;
    for (; i < count; i++, base += s->size)
        if ((s->compare(base, base + s->size, s->argument) > 0) != down)
            break;
    return i;
}

void __brawn_sort(void *array, size_t count, size_t size, compare_fn compare, void *argument) {
    struct {
        char *base;
        size_t count;
    } pending[PENDING];
    uint8_t patience[PENDING];
    struct sort sort, *s = &sort; /* the union is not to be cleared */
    if (count < 2 || !size)
        return;
    s->compare = compare;
    s->argument = argument;
    s->size = size;
    char *base = array;
    size_t in_order = run(s, base, count, 0);
    if (in_order == count)
        return;
    if (in_order == 1 && run(s, base, count, 1) == count) {
        for (char *end = base + (count - 1) * size; base < end; base += size, end -= size)
            exchange(base, end, size);
        return;
    }
    unsigned waiting = 0, bad = 8 * sizeof(size_t) - (unsigned)__builtin_clzl(count);
    for (;;) {
        if (count <= SMALL || !bad) {
            if (count > SMALL)
                heap_sort(s, base, count);
            else if (count > 1)
                sort_small(s, base, count);
            if (!waiting)
                return;
            waiting--;
            base = pending[waiting].base;
            count = pending[waiting].count;
            bad = patience[waiting];
            continue;
        }
        /* The median of some. */
        size_t sample = count < 128 ? 5 : count < 512 ? 9 : count < 4096 ? 15 : 31;
        size_t step = count / sample;
        char **sorted = order(s, base + step / 2 * size, step * size, sample);
        exchange(base, sorted[sample / 2], size);
        int moved;
        if (base != array && compare(base - size, base, argument) >= 0) {
            /* All are at least the element before, an earlier median: these are its equals, and do not return. */
            size_t equal = partition(s, base, count, 1, &moved) + 1;
            base += equal * size;
            count -= equal;
            bad -= equal < count / 8;
            continue;
        }
        size_t less = partition(s, base, count, 0, &moved);
        char *middle = base + less * size;
        exchange(base, middle, size);
        size_t greater = count - less - 1;
        if (less < count / 8 || greater < count / 8)
            bad--;
        /* The smaller part first: so few wait. */
        size_t larger = less > greater ? less : greater, smaller = count - 1 - larger;
        char *other = middle + size;
        char *larger_base = less > greater ? base : other, *smaller_base = less > greater ? other : base;
        if (waiting < PENDING && larger > 1) {
            pending[waiting].base = larger_base;
            pending[waiting].count = larger;
            patience[waiting++] = (uint8_t)bad;
            base = smaller_base;
            count = smaller;
        } else {
            heap_sort(s, smaller_base, smaller);
            base = larger_base;
            count = larger;
        }
    }
}
