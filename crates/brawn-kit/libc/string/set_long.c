/* Fills blocks of more than 64 bytes, for memset, bzero, explicit_bzero and wmemset.
 *
 * Plan: up to eight vectors, from both ends at once; beyond, a vector at each end and between them aligned ones.
 * Where the CPU has fast `rep stosb`, it takes the longest blocks that a cache keeps; beyond, set_past.c's. */
#include "fast_rep.h"
#include "past.h"
#include "vector.h"

/* From where `rep stosb` beats the loop of this vector; docs/log/strings.md has the measurement. */
#define REP_SET_FROM (VEC == 16 ? (size_t)2 << 10 : (size_t)1 << 20)

/* What the loop stores at once. A core stores one vector of 64 bytes a cycle at most, and can make as many turns; but of a loop
 * with one store Granite Rapids does not foresee the last turn. */
#define STEP (VEC == 64 ? 2 * VEC : 4 * VEC)

INLINE void fill_step(unsigned char *to, vec value) {
    for (size_t i = 0; i < STEP; i += VEC) {
        vec_store_aligned(to + i, value);
    }
}

/* The last bytes before `end`. A store that crosses a page takes as long as nine others (Zen 4), one with a mask does not. */
INLINE void store_before(unsigned char *end, vec value) {
#ifdef BRAWN_VECTOR_AVX512_H
    if (UNLIKELY(crosses_page(end - VEC, VEC))) {
        const uintptr_t left = (uintptr_t)end & (VEC - 1);
        _mm512_mask_storeu_epi8(end - left, mask_before(UINT64_MAX, left), value);
        return;
    }
#endif
    vec_store(end - VEC, value);
}

LONG_PART(void *, __brawn_set, (unsigned char *target, uint32_t pattern, size_t n)) {
    const vec value = wide_fill(pattern);
    unsigned char *const end = target + n;
    /* As in set.h: the same four stores for every size. At SSE2 the entry has dealt with these. */
    if (VEC > 16 && LIKELY(n <= 4 * VEC)) {
        const size_t inner = n >= 2 * VEC ? VEC : 0;
        vec_store(target, value);
        vec_store(target + inner, value);
        vec_store(end - VEC - inner, value);
        vec_store(end - VEC, value);
        return target;
    }
    if (n <= 8 * VEC) {
        vec_store(target, value);
        vec_store(target + VEC, value);
        vec_store(target + 2 * VEC, value);
        vec_store(end - 3 * VEC, value);
        vec_store(end - 2 * VEC, value);
        vec_store(end - VEC, value);
        if (VEC <= 16 || n > 6 * VEC) {
            vec_store(target + 3 * VEC, value);
            vec_store(end - 4 * VEC, value);
        }
        return target;
    }
#if defined(__x86_64__)
    if (goes_past(n / 8 * 3)) {
        return set_past(target, pattern, n);
    }
    if (UNLIKELY(n >= REP_SET_FROM) && HAS_FAST_REP) {
        /* The last bytes by a vector, so that a load of them need not wait. */
        uint64_t *to = (uint64_t *)(((uintptr_t)target + 15) & -(uintptr_t)16);
        size_t left = (size_t)(end - (unsigned char *)to) / 8;
        __asm__ volatile("rep stosq" : "+D"(to), "+c"(left) : "a"(pattern * 0x100000001u) : "memory");
        vec_store(target, value);
        vec_store(end - VEC, value);
        return target;
    }
#endif
    /* Two stores cross lines, or none. The pattern is as wide as a wide character, and so is the alignment of a target of
     * those. */
    vec_store(target, value);
    unsigned char *to = (unsigned char *)((uintptr_t)(target + VEC) & -VEC);
    unsigned char *const last = (unsigned char *)((uintptr_t)(end - 1) & -VEC) - STEP;
    NO_UNROLL
    for (; to < last; to += STEP) {
        fill_step(to, value);
    }
    fill_step(last, value);
    store_before(end, value);
    return target;
}
