/* Copies of which the last cache would keep no more than the end: stored past it. An ordinary store has the line read first
 * that it then overwrites, a third of all that such a copy moves. Lines of four pages in turn keep more of the memory busy than
 * one after the other. docs/log/strings.md has the measurements. */
#include "past.h"

#if defined(__x86_64__)

#include "vector16.h"

#define AHEAD 256

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
    const size_t left = (size_t)(end - to) & -(size_t)64, whole = left & -PAST_DISTANCE;
    NO_UNROLL
    for (size_t i = 0; i < left; i += 64) {
        size_t at = i;
        if (i < whole) {
            /* Two lines of each of four pages in turn: bits 7 and 8, which come next after two lines, are the page. */
            at = (i & -PAST_DISTANCE) | (i & 64) | (i & 3 << 7) << 5 | (i & 31 << 9) >> 2;
        }
        const unsigned char *const from = to + at + back;
        _mm_prefetch((const char *)from + AHEAD, _MM_HINT_T0);
        const vec a = vec_load(from), b = vec_load(from + 16);
        const vec c = vec_load(from + 32), d = vec_load(from + 48);
        _mm_stream_si128((__m128i *)(to + at), a);
        _mm_stream_si128((__m128i *)(to + at + 16), b);
        _mm_stream_si128((__m128i *)(to + at + 32), c);
        _mm_stream_si128((__m128i *)(to + at + 48), d);
    }
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
