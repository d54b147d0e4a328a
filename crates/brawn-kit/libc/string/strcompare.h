/* strcmp, strncmp, strcasecmp, strncasecmp, wcscmp and wcsncmp: find the first lane that differs or is null.
 *
 * The file that includes this defines
 *     COMPARE_FOLDED   1 if ASCII letters are compared as lower case, as musl's strcasecmp does in every locale
 *     COMPARE_LIMITED  1 if at most `n` lanes are compared; without it n is not looked at
 *     COMPARE_LONG     what the names of the long part begin with, where the limited function and the other
 *                      share it and have an entry each, and
 *     COMPARE_DEFINED  if that is to be compiled here, and not the entry. Without COMPARE_LONG, both are.
 *
 * Entry: up to 64 bytes as four pairs of 16 with one branch, unless either string might cross into another
 * page; then 16 bytes or one at a time, until that page is behind. Long: four pairs of vectors, with a branch
 * for each; then groups of four, aligned in the first string, which go back over some of what is the same. A
 * group at whose beginning the second string is about to leave its page is looked through up to there first.
 * A group that has something goes the way of the first four. */

#ifndef COMPARE_PARAMETERS
#define COMPARE_PARAMETERS (const lane *a, const lane *b, const lane *end)
#ifdef COMPARE_LONG
#define COMPARE_LINKAGE
#define compare_edge SHARED_NAME(COMPARE_LONG, edge)
#define compare_long_avx512 SHARED_NAME(COMPARE_LONG, avx512)
#define compare_long_avx2 SHARED_NAME(COMPARE_LONG, avx2)
#define compare_long_sse2 SHARED_NAME(COMPARE_LONG, sse2)
#define compare_long_neon SHARED_NAME(COMPARE_LONG, neon)
DISPATCH_SHARED(int, compare_long, COMPARE_PARAMETERS)
HIDDEN
#else
#define COMPARE_LINKAGE static MAYBE_UNUSED
static
#endif
/* Either string begins close to the end of its page: compares `first` lanes without reading beyond. */
int compare_edge(const lane *a, const lane *b, const lane *end, size_t first);

/* Whether either of two loads crosses a page. One test of both addresses together, which sometimes takes them
 * for the end of a page, spares two where it says no. */
INLINE bool cross_page(const lane *a, const lane *b, size_t bytes) {
    return UNLIKELY(crosses_page((const void *)((uintptr_t)a | (uintptr_t)b), bytes)) &&
           (crosses_page(a, bytes) || crosses_page(b, bytes));
}
#endif

#ifdef BRAWN_PASS

/* Null where two vectors are the same, and where they are. */
INLINE vec LEVEL_NAME(difference)(vec a, vec b) {
#if COMPARE_FOLDED
    return vec_fold_xor(a, b);
#else
    return vec_xor(a, b);
#endif
}

INLINE lane_test LEVEL_NAME(same)(vec a, vec b) {
#if COMPARE_FOLDED
    return lane_null(vec_fold_xor(a, b));
#else
    return lane_equal(a, b);
#endif
}

/* The lanes where the strings part or end. */
OVER_READS INLINE lane_test LEVEL_NAME(parting_test)(const lane *a, const lane *b) {
    const vec u = vec_load(a);
    return lane_null(LEVEL_NAME(keep)(LEVEL_NAME(same)(u, vec_load(b)), u));
}

INLINE lane_mask LEVEL_NAME(parting)(const lane *a, const lane *b) {
    return lane_mask_of(LEVEL_NAME(parting_test)(a, b));
}

/* Whether they do so in four vectors. Where a comparison gives a vector, masking u with it leaves a null lane
 * wherever the strings part, and the minimum joins four of them (SSE2 has none of wide lanes). AVX-512
 * compares into mask registers, which are slow to join: there differences are gathered by `xor`. */
INLINE bool LEVEL_NAME(parting_in_four)(const lane *a, const lane *b) {
    const vec a0 = vec_load_aligned(a), a1 = vec_load_aligned(a + LANES);
    const vec a2 = vec_load_aligned(a + 2 * LANES), a3 = vec_load_aligned(a + 3 * LANES);
    const vec b0 = vec_load(b), b1 = vec_load(b + LANES);
    const vec b2 = vec_load(b + 2 * LANES), b3 = vec_load(b + 3 * LANES);
    if (VEC == 64) {
        const vec differences =
            vec_or(vec_or(LEVEL_NAME(difference)(a0, b0), LEVEL_NAME(difference)(a1, b1)),
                   vec_or(LEVEL_NAME(difference)(a2, b2), LEVEL_NAME(difference)(a3, b3)));
        const vec least = lane_min(lane_min(a0, a1), lane_min(a2, a3));
        return lane_test_any(lane_test_or(lane_null(least), lane_unequal(differences, vec_zero())));
    }
    const vec k0 = LEVEL_NAME(keep)(LEVEL_NAME(same)(a0, b0), a0),
              k1 = LEVEL_NAME(keep)(LEVEL_NAME(same)(a1, b1), a1);
    const vec k2 = LEVEL_NAME(keep)(LEVEL_NAME(same)(a2, b2), a2),
              k3 = LEVEL_NAME(keep)(LEVEL_NAME(same)(a3, b3), a3);
    if (TEXT_WIDE && VEC == 16) {
        return lane_test_any(lane_test_or(lane_test_or(lane_null(k0), lane_null(k1)),
                                          lane_test_or(lane_null(k2), lane_null(k3))));
    }
    return lane_test_any(lane_null(lane_min(lane_min(k0, k1), lane_min(k2, k3))));
}

INLINE int LEVEL_NAME(order)(const lane *a, const lane *b) {
    if (*a == *b) {
        /* Mostly the end of both, or never: anyone who asks for that need not wait for the difference. */
        BRANCH();
        return 0;
    }
#if TEXT_WIDE
    return (wchar_t)*a < (wchar_t)*b ? -1 : 1;
#elif COMPARE_FOLDED
    return (int)ascii_fold(*a) - (int)ascii_fold(*b);
#else
    return *a - *b;
#endif
}

#if (!defined(COMPARE_LONG) || defined(COMPARE_DEFINED)) && !defined(HELPERS_ONLY)

/* Goes on after at least 16 bytes that are the same and not null. `end` is where the limit is in the first
 * string, and not a. */
OVER_READS COMPARE_LINKAGE int LEVEL_NAME(compare_long) COMPARE_PARAMETERS {
    lane_mask mask;
    if (UNLIKELY(cross_page(a, b, 4 * VEC))) {
        return compare_edge(a, b, end, 4 * LANES);
    }
#define STEP                                                                                                 \
    do {                                                                                                     \
        mask = LEVEL_NAME(parting)(a, b);                                                                    \
        IN_REGISTER(mask);                                                                                   \
        if (UNLIKELY(mask)) {                                                                                \
            goto found;                                                                                      \
        }                                                                                                    \
        a += LANES;                                                                                          \
        b += LANES;                                                                                          \
        IN_REGISTER(a);                                                                                      \
        IN_REGISTER(b);                                                                                      \
    } while (0)
four:
#if COMPARE_FOLDED
    NO_UNROLL
    for (const lane *const stop = a + 4 * LANES; a < stop;) {
        STEP;
    }
#else
    STEP;
    STEP;
    STEP;
    STEP;
#endif
    const size_t back = ((uintptr_t)a & (4 * VEC - 1)) / sizeof(lane);
    if (a >= end) {
        return 0;
    }
    a -= back;
    b -= back;
    size_t room = page_room(b);
    for (;; a += 4 * LANES, b += 4 * LANES, room -= 4 * VEC) {
        if (a >= end) {
            return 0;
        }
        if (UNLIKELY(room < 4 * VEC)) {
            /* By vectors of which the last ends with the page, and the first begins in what has been seen. */
            const size_t left = room / sizeof(lane);
            const lane *const on_a = a, *const on_b = b;
            a += left % LANES, b += left % LANES;
            a -= LANES, b -= LANES;
            while (a < on_a + left) {
                STEP;
            }
            a = on_a, b = on_b;
            if (a + left >= end) {
                return 0;
            }
            room += PAGE_BYTES;
        }
        if (LEVEL_NAME(parting_in_four)(a, b)) {
            goto four;
        }
    }
#undef STEP
found:;
    const size_t at = lane_mask_first(mask);
    if (UNLIKELY(a + at >= end)) {
        BRANCH();
        return 0;
    }
    return LEVEL_NAME(order)(a + at, b + at);
}

#endif

#else

/* Folding takes so long that baseline code does only half of what it does else. */
#define ENTRY_BYTES (COMPARE_FOLDED ? SMALL_BYTES / 2 : SMALL_BYTES)
#define ENTRY_LANES (ENTRY_BYTES / sizeof(lane))

DISPATCHED(int, compare_long, COMPARE_PARAMETERS, (a, b, end))

#if !defined(COMPARE_LONG) || defined(COMPARE_DEFINED)

OVER_READS COLD int compare_edge(const lane *a, const lane *b, const lane *end, size_t first) {
    size_t left = (size_t)(end - a);
    left = left < first ? left : first;
    while (left != 0) {
        if (left >= LANES && page_room(a) >= VEC && page_room(b) >= VEC) {
            const lane_mask mask = LEVEL_NAME(parting)(a, b);
            if (!mask) {
                a += LANES;
                b += LANES;
                left -= LANES;
                continue;
            }
            /* The lane that decides is looked at as if it were a single one. */
            a += lane_mask_first(mask);
            b += lane_mask_first(mask);
        }
        const int order = LEVEL_NAME(order)(a, b);
        if (order != 0 || *a == 0) {
            return order;
        }
        a++;
        b++;
        left--;
    }
    return a == end ? 0 : compare_long(a, b, end);
}

#endif

#ifndef COMPARE_DEFINED

OVER_READS INLINE int compare_small(const lane *a, const lane *b, size_t n) {
    const lane *const end = COMPARE_LIMITED ? limit_of(a, n) : limit_of(a, ~(size_t)0);
    if (COMPARE_LIMITED && n == 0) {
        return 0;
    }
    if (UNLIKELY(cross_page(a, b, ENTRY_BYTES))) {
        return compare_edge(a, b, end, ENTRY_LANES);
    }
#if COMPARE_FOLDED
    const uint64_t mask =
        mask_of_four(LEVEL_NAME(parting_test)(a, b), LEVEL_NAME(parting_test)(a + LANES, b + LANES),
                     vec_zero(), vec_zero());
    if (LIKELY(mask)) {
#else
    const lane_test t0 = LEVEL_NAME(parting_test)(a, b), t1 = LEVEL_NAME(parting_test)(a + LANES, b + LANES),
                    t2 = LEVEL_NAME(parting_test)(a + 2 * LANES, b + 2 * LANES),
                    t3 = LEVEL_NAME(parting_test)(a + 3 * LANES, b + 3 * LANES);
    const uint64_t mask = mask_of_four(t0, t1, t2, t3);
    if (LIKELY(mask)) {
#endif
        const size_t at = first_of_four(mask);
        if (COMPARE_LIMITED && at >= n) {
            BRANCH();
            return 0;
        }
        return LEVEL_NAME(order)(a + at, b + at);
    }
    if (COMPARE_LIMITED && n <= ENTRY_LANES) {
        return 0;
    }
    return compare_long(a + ENTRY_LANES, b + ENTRY_LANES, end);
}

#endif

#endif
