/* See set.c. */

#ifndef SET_THRESHOLDS
#define SET_THRESHOLDS

/* From where `rep stosb` beats the loop of this vector; docs/strings.md has the measurement. */
#define REP_SET_FROM (VEC == 16 ? (size_t)2 << 10 : (size_t)1 << 20)

#if defined(__x86_64__)
#ifdef BRAWN_LEVEL
#define HAS_FAST_REP true
#else
#define HAS_FAST_REP (__atomic_load_n(&NAME(__brawn_string_rep), __ATOMIC_RELAXED) != 0)
extern HIDDEN unsigned char NAME(__brawn_string_rep);
#endif
#endif
#endif

void *LEVEL_NAME(set_long)(unsigned char *target, uint32_t pattern, size_t n) {
#if defined(__x86_64__)
    /* Before any store: those that it meets cost it a nanosecond. */
    if (UNLIKELY(n >= REP_SET_FROM) && (pattern & 0xff) * 0x01010101u == pattern && HAS_FAST_REP) {
        unsigned char *to = target;
        size_t left = n;
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(left) : "a"(pattern) : "memory");
        return target;
    }
#endif
    const vec value = wide_fill(pattern);
    unsigned char *const end = target + n;
    vec_store(target, value);
    vec_store(end - VEC, value);
    if (n <= 2 * VEC) {
        return target;
    }
    vec_store(target + VEC, value);
    vec_store(end - 2 * VEC, value);
    if (n <= 4 * VEC) {
        return target;
    }
    vec_store(target + 2 * VEC, value);
    vec_store(target + 3 * VEC, value);
    vec_store(end - 4 * VEC, value);
    vec_store(end - 3 * VEC, value);
    if (n <= 8 * VEC) {
        return target;
    }
    /* The pattern is as wide as a wide character, and so is the alignment of a target of those. */
    for (unsigned char *to = (unsigned char *)((uintptr_t)(target + 4 * VEC) & -VEC); to < end - 4 * VEC;
         to += 4 * VEC) {
        vec_store_aligned(to, value);
        vec_store_aligned(to + VEC, value);
        vec_store_aligned(to + 2 * VEC, value);
        vec_store_aligned(to + 3 * VEC, value);
    }
    return target;
}
