/* Copies of which the last cache would keep no more than the end: stored past it. An ordinary store has the line read first
 * that it then overwrites, a third of all that such a copy moves. docs/log/strings.md has the measurements.
 *
 * A line is read before the line below it is stored. A load whose address ends in the same twelve bits as a store before it
 * waits for that store, and a copy to a few bytes further into a page would do so at each line. */
#include "past.h"

#if defined(__x86_64__)

#include "vector16.h"

#define AHEAD 256

struct line {
    vec a, b, c, d;
};

INLINE struct line line_load(const unsigned char *from) {
    _mm_prefetch((const char *)from + AHEAD, _MM_HINT_T0);
    return (struct line){vec_load(from), vec_load(from + 16), vec_load(from + 32), vec_load(from + 48)};
}

INLINE void line_stream(unsigned char *to, struct line line) {
    _mm_stream_si128((__m128i *)to, line.a);
    _mm_stream_si128((__m128i *)(to + 16), line.b);
    _mm_stream_si128((__m128i *)(to + 32), line.c);
    _mm_stream_si128((__m128i *)(to + 48), line.d);
}

COLD void *copy_past(unsigned char *target, const unsigned char *source, size_t n, void *result) {
    unsigned char *const end = target + n;
    const ptrdiff_t back = source - target;
    /* To a whole line. The operands are so far from each other that no vector of one is stored to before it is read. */
    size_t head = 0;
    NO_UNROLL
    do {
        vec_store(target + head, vec_load(source + head));
        head += 16;
    } while (head < 64);
    unsigned char *to = (unsigned char *)(((uintptr_t)target | 63) + 1);
    struct line line = line_load(to + back);
    NO_UNROLL
    for (; end - to >= 128; to += 64) {
        const struct line next = line_load(to + 64 + back);
        line_stream(to, line);
        line = next;
    }
    line_stream(to, line);
    /* Who sees what is stored after the copy sees the copy. */
    _mm_sfence();
    ptrdiff_t tail = -64;
    NO_UNROLL
    do {
        vec_store(end + tail, vec_load(end + tail + back));
        tail += 16;
    } while (tail != 0);
    know_past();
    return result;
}

#endif
