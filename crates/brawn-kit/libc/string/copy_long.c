/* Copies of more than 64 bytes, for memcpy, memmove, mempcpy, memccpy and the wide ones: one object, so that
 * a program pays for it once.
 *
 * Plan: up to eight vectors, all are loaded before the first is stored. Beyond, the ends are kept in
 * registers and the middle goes in aligned groups of four: forwards, or backwards when the target begins
 * inside the source. Where the CPU has fast `rep movsb`, it takes long blocks that do not overlap. What no
 * cache keeps is copy_past.c's and copy_turn.c's. */
#include "past.h"
#include "fast_rep.h"
#include "vector.h"

/* Or compilers count an index of their own as well. */
#define KEEP(pointer) __asm__("" : "+r"(pointer));

/* From where `rep movsb` beats the loop of this vector: docs/log/strings.md. */
#define REP_COPY_FROM (VEC == 16 ? (size_t)2 << 10 : VEC == 32 ? (size_t)4 << 10 : (size_t)64 << 10)

#if defined(__x86_64__)
/* Whether a target begins a few bytes further into a page than its source. There `rep movsb` of
 * Zen 4 takes up to 16 times as long: docs/log/strings.md. */
INLINE bool rep_is_slow(size_t distance) {
    return (distance & 4095) - 1 < 63;
}

INLINE void rep_copy(unsigned char *target, const unsigned char *source, size_t n) {
    __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(n) : : "memory");
}
#endif

INLINE void *copy_loop(unsigned char *target, const unsigned char *source, size_t n, void *result) {
    const size_t distance = (size_t)(target - source);
    if (LIKELY(distance >= n)) {
#if defined(__x86_64__)
        if (goes_past(n) && -distance >= PAST_DISTANCE) {
            return (VEC > 16 ? copy_turn : copy_past)(target, source, n, result);
        }
        if (UNLIKELY(n >= REP_COPY_FROM) && HAS_FAST_REP && -distance >= n && !rep_is_slow(distance)) {
            /* Fast from an aligned target on. Wide vectors do the end as well, so that a load of the last
             * bytes need not wait; narrow ones are too many for that. */
            vec head[64 / VEC], tail[64 / VEC];
            for (size_t i = 0; i < 64 / VEC; i++) {
                head[i] = vec_load(source + i * VEC);
                tail[i] = vec_load(source + n - 64 + i * VEC);
            }
            const size_t skip = 64 - ((uintptr_t)target & 63), left = n - skip;
            rep_copy(target + skip, source + skip, VEC > 16 ? (left - 1) & -(size_t)64 : left);
            for (size_t i = 0; i < 64 / VEC; i++) {
                vec_store(target + i * VEC, head[i]);
                if (VEC > 16) {
                    vec_store(target + n - 64 + i * VEC, tail[i]);
                }
            }
            return result;
        }
#endif
        const vec first = vec_load(source);
        const vec t0 = vec_load(source + n - 4 * VEC), t1 = vec_load(source + n - 3 * VEC);
        const vec t2 = vec_load(source + n - 2 * VEC), t3 = vec_load(source + n - VEC);
        unsigned char *const end = target + n;
        unsigned char *to = (unsigned char *)(((uintptr_t)target | (VEC - 1)) + 1);
        /* One pointer moves, and the other is this far from it. */
        const ptrdiff_t back = source - target;
        while (to < end - 4 * VEC) {
            const vec a = vec_load(to + back), b = vec_load(to + back + VEC);
            const vec c = vec_load(to + back + 2 * VEC), d = vec_load(to + back + 3 * VEC);
            vec_store_aligned(to, a);
            vec_store_aligned(to + VEC, b);
            vec_store_aligned(to + 2 * VEC, c);
            vec_store_aligned(to + 3 * VEC, d);
            to += 4 * VEC;
            KEEP(to)
        }
        vec_store(end - 4 * VEC, t0);
        vec_store(end - 3 * VEC, t1);
        vec_store(end - 2 * VEC, t2);
        vec_store(end - VEC, t3);
        vec_store(target, first);
        return result;
    }
    if (UNLIKELY(distance == 0)) {
        return result;
    }
    const vec last = vec_load(source + n - VEC);
    const vec h0 = vec_load(source), h1 = vec_load(source + VEC);
    const vec h2 = vec_load(source + 2 * VEC), h3 = vec_load(source + 3 * VEC);
    unsigned char *to = (unsigned char *)((uintptr_t)(target + n - 1) & -VEC);
    const ptrdiff_t back = source - target;
    while (to > target + 4 * VEC) {
        to -= 4 * VEC;
        KEEP(to)
        const vec a = vec_load(to + back + 3 * VEC), b = vec_load(to + back + 2 * VEC);
        const vec c = vec_load(to + back + VEC), d = vec_load(to + back);
        vec_store_aligned(to + 3 * VEC, a);
        vec_store_aligned(to + 2 * VEC, b);
        vec_store_aligned(to + VEC, c);
        vec_store_aligned(to, d);
    }
    vec_store(target, h0);
    vec_store(target + VEC, h1);
    vec_store(target + 2 * VEC, h2);
    vec_store(target + 3 * VEC, h3);
    vec_store(target + n - VEC, last);
    return result;
}

#define SHORT sizeof(short_vec)

LONG_PART(void *, __brawn_copy,
          (unsigned char *target, const unsigned char *source, size_t n, void *result)) {
    const unsigned char *const source_end = source + n;
    unsigned char *const target_end = target + n;
    if (UNLIKELY(n > 8 * SHORT)) {
        return copy_loop(target, source, n, result);
    }
    /* At SSE2, 64 bytes have been dealt with by the entry. */
    if (SHORT > 16 && n <= 4 * SHORT) {
        const short_vec a = short_load(source), b = short_load(source + SHORT);
        const short_vec c = short_load(source_end - 2 * SHORT), d = short_load(source_end - SHORT);
        short_store(target, a);
        short_store(target + SHORT, b);
        short_store(target_end - 2 * SHORT, c);
        short_store(target_end - SHORT, d);
        return result;
    }
    const short_vec a = short_load(source), b = short_load(source + SHORT);
    const short_vec c = short_load(source + 2 * SHORT);
    const short_vec f = short_load(source_end - 3 * SHORT);
    const short_vec g = short_load(source_end - 2 * SHORT), h = short_load(source_end - SHORT);
    if (n > 6 * SHORT) {
        const short_vec d = short_load(source + 3 * SHORT), e = short_load(source_end - 4 * SHORT);
        short_store(target + 3 * SHORT, d);
        short_store(target_end - 4 * SHORT, e);
    }
    short_store(target, a);
    short_store(target + SHORT, b);
    short_store(target + 2 * SHORT, c);
    short_store(target_end - 3 * SHORT, f);
    short_store(target_end - 2 * SHORT, g);
    short_store(target_end - SHORT, h);
    return result;
}
