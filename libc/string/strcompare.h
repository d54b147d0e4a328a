/* strcmp, strncmp, strcasecmp, strncasecmp, wcscmp and wcsncmp: find the first lane that differs or is null.
 *
 * The file that includes this defines
 *     COMPARE_FOLDED   1 if ASCII letters are compared as lower case, as musl's strcasecmp does in every
 * locale COMPARE_LIMITED  1 if at most `n` lanes are compared COMPARE_LONG     the name of the long part,
 * which the limited function and the other share, and COMPARE_DEFINED  if that is to be compiled here, and
 * not the entry.
 *
 * Entry: up to 64 bytes as four pairs of 16 with one branch, unless either string might cross into another
 * page. Long: runs that end where either string's page (or the limit) ends, the first string aligned; what is
 * left of a run, less than a vector, is compared by a vector that ends there and begins in what is equal
 * already. So no run needs single bytes and no load crosses a page unasked. */

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
INLINE lane_test LEVEL_NAME(parting_test)(const lane *a, const lane *b) {
    const vec u = vec_load(a);
    const lane_test same = LEVEL_NAME(same)(u, vec_load(b));
    return lane_null(LEVEL_NAME(keep)(same, u));
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
        /* Mostly the end of both, or never: whoever asks for that need not wait for the difference. */
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

#ifdef COMPARE_DEFINED

/* A vector of 16 bytes or more before a and b is equal and not null; n counts from a, is not 0, and is ~0 for
 * no limit. */
OVER_READS static MAYBE_UNUSED int LEVEL_NAME(compare_long)(const lane *a, const lane *b, size_t n) {
    lane_mask mask;
    if (!crosses_page(a, 4 * VEC) && !crosses_page(b, 4 * VEC)) {
        /* Many strings end soon. */
#define STEP(i)                                                                                              \
    mask = LEVEL_NAME(parting)(a + (i) * LANES, b + (i) * LANES);                                            \
    if (mask) {                                                                                              \
        a += (i) * LANES;                                                                                    \
        b += (i) * LANES;                                                                                    \
        n -= (i) * LANES;                                                                                    \
        goto found;                                                                                          \
    }                                                                                                        \
    if (n <= ((i) + 1) * LANES) {                                                                            \
        return 0;                                                                                            \
    }
        STEP(0)
        STEP(1)
        STEP(2)
        STEP(3)
#undef STEP
        a += 4 * LANES;
        b += 4 * LANES;
        n -= 4 * LANES;
    }
    while (n != 0) {
        const size_t room_a = page_room(a) / sizeof(lane), room_b = page_room(b) / sizeof(lane);
        size_t room = room_a < room_b ? room_a : room_b;
        if (n < room) {
            room = n;
        }
        n -= room;
        while (room >= LANES) {
            mask = LEVEL_NAME(parting)(a, b);
            if (mask) {
                n = LANES;
                goto found;
            }
            /* Up to the next aligned vector of a: the first step of a run may compare some lanes twice. */
            const size_t step = LANES - ((uintptr_t)a & (VEC - 1)) / sizeof(lane);
            a += step;
            b += step;
            room -= step;
            if (((uintptr_t)a & (VEC - 1)) == 0) {
                for (; room >= 4 * LANES; room -= 4 * LANES) {
                    if (LEVEL_NAME(parting_in_four)(a, b)) {
                        while ((mask = LEVEL_NAME(parting)(a, b)) == 0) {
                            a += LANES;
                            b += LANES;
                        }
                        n = LANES;
                        goto found;
                    }
                    a += 4 * LANES;
                    b += 4 * LANES;
                }
            }
        }
        if (room != 0) {
            a -= LANES - room;
            b -= LANES - room;
            mask = LEVEL_NAME(parting)(a, b);
            if (mask) {
                n = LANES;
                goto found;
            }
            a += LANES;
            b += LANES;
        }
    }
    return 0;
found:;
    const size_t at = lane_mask_first(mask);
    return at < n ? LEVEL_NAME(order)(a + at, b + at) : 0;
}

#endif

#else

HIDDEN int NAME(COMPARE_LONG)(const lane *a, const lane *b, size_t n);

#ifdef COMPARE_DEFINED

DISPATCHED(int, compare_long, (const lane *a, const lane *b, size_t n), (a, b, n))

int NAME(COMPARE_LONG)(const lane *a, const lane *b, size_t n) {
    return compare_long(a, b, n);
}

#else

/* Folding takes so long that baseline code does only half of what it does else. */
#define ENTRY_BYTES (COMPARE_FOLDED ? SMALL_BYTES / 2 : SMALL_BYTES)
#define ENTRY_LANES (ENTRY_BYTES / sizeof(lane))

/* Either string begins within ENTRY_BYTES of the end of its page. */
OVER_READS COLD static int compare_across(const lane *a, const lane *b, size_t n) {
    size_t left = COMPARE_LIMITED && n < ENTRY_LANES ? n : ENTRY_LANES;
    n -= left;
    while (left != 0) {
        if (left >= LANES && page_room(a) >= VEC && page_room(b) >= VEC) {
            const lane_mask mask = LEVEL_NAME(parting)(a, b);
            if (mask) {
                const size_t i = lane_mask_first(mask);
                return LEVEL_NAME(order)(a + i, b + i);
            }
            a += LANES;
            b += LANES;
            left -= LANES;
        } else {
            const int order = LEVEL_NAME(order)(a, b);
            if (order != 0 || *a == 0) {
                return order;
            }
            a++;
            b++;
            left--;
        }
    }
    return COMPARE_LIMITED && n == 0 ? 0 : NAME(COMPARE_LONG)(a, b, COMPARE_LIMITED ? n : ~(size_t)0);
}

OVER_READS INLINE int compare_small(const lane *a, const lane *b, size_t n) {
    if (COMPARE_LIMITED && n == 0) {
        return 0;
    }
    if (crosses_page(a, ENTRY_BYTES) || crosses_page(b, ENTRY_BYTES)) {
        return compare_across(a, b, n);
    }
    const uint64_t mask =
        COMPARE_FOLDED
            ? mask_of_four(LEVEL_NAME(parting_test)(a, b), LEVEL_NAME(parting_test)(a + LANES, b + LANES),
                           vec_zero(), vec_zero())
            : mask_of_four(LEVEL_NAME(parting_test)(a, b), LEVEL_NAME(parting_test)(a + LANES, b + LANES),
                           LEVEL_NAME(parting_test)(a + 2 * LANES, b + 2 * LANES),
                           LEVEL_NAME(parting_test)(a + 3 * LANES, b + 3 * LANES));
    if (LIKELY(mask)) {
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
    return NAME(COMPARE_LONG)(a + ENTRY_LANES, b + ENTRY_LANES,
                              COMPARE_LIMITED ? n - ENTRY_LANES : ~(size_t)0);
}

#endif

#endif
