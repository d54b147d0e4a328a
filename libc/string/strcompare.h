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

/* What is compared of a vector. */
INLINE vec LEVEL_NAME(compared)(vec v) {
#if COMPARE_FOLDED
    return vec_fold(v);
#else
    return v;
#endif
}

/* The lanes where the strings part or end. */
INLINE lane_test LEVEL_NAME(parting_test)(const lane *a, const lane *b) {
    const vec u = vec_load(a), v = vec_load(b);
    const lane_test same = lane_equal(LEVEL_NAME(compared)(u), LEVEL_NAME(compared)(v));
    return lane_null(LEVEL_NAME(keep)(same, u));
}

INLINE lane_mask LEVEL_NAME(parting)(const lane *a, const lane *b) {
    return lane_mask_of(LEVEL_NAME(parting_test)(a, b));
}

/* Whether they do so in four vectors. Where a comparison gives a vector, masking u with it leaves a null lane
 * wherever the strings part, and the minimum joins four of them (SSE2 has none of wide lanes). AVX-512
 * compares into mask registers, which are slow to join: there differences are gathered by `xor`. */
INLINE bool LEVEL_NAME(parting_in_four)(const lane *a, const lane *b) {
    vec keys[4], differences = vec_zero();
    for (size_t i = 0; i < 4; i++) {
        const vec u = vec_load_aligned(a + i * LANES), v = vec_load(b + i * LANES);
        const vec x = LEVEL_NAME(compared)(u), y = LEVEL_NAME(compared)(v);
        if (VEC == 64) {
            differences = vec_or(differences, vec_xor(x, y));
            keys[i] = u;
        } else {
            keys[i] = LEVEL_NAME(keep)(lane_equal(x, y), u);
        }
    }
    if (TEXT_WIDE && VEC == 16) {
        return lane_test_any(lane_test_or(lane_test_or(lane_null(keys[0]), lane_null(keys[1])),
                                          lane_test_or(lane_null(keys[2]), lane_null(keys[3]))));
    }
    const lane_test ends = lane_null(lane_min(lane_min(keys[0], keys[1]), lane_min(keys[2], keys[3])));
    if (VEC == 64) {
        return lane_test_any(lane_test_or(ends, lane_unequal(differences, vec_zero())));
    }
    return lane_test_any(ends);
}

INLINE int LEVEL_NAME(order)(const lane *a, const lane *b) {
#if TEXT_WIDE
    const wchar_t u = (wchar_t)*a, v = (wchar_t)*b;
    return u < v ? -1 : u > v;
#elif COMPARE_FOLDED
    return (int)ascii_fold(*a) - (int)ascii_fold(*b);
#else
    return *a - *b;
#endif
}

#ifdef COMPARE_DEFINED

/* The SMALL_LANES lanes before a and b are equal and not null; n counts from a, and is ~0 for no limit. */
OVER_READS static MAYBE_UNUSED int LEVEL_NAME(compare_long)(const lane *a, const lane *b, size_t n) {
    lane_mask mask;
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
                goto found;
            }
            /* Up to the next aligned vector of a: the first step of a run may compare some lanes twice. */
            const size_t step = LANES - ((uintptr_t)a & (VEC - 1)) / sizeof(lane);
            a += step;
            b += step;
            room -= step;
            /* Four at a time, but not at first: many strings end soon. */
            if (((uintptr_t)a & (4 * VEC - 1)) == 0) {
                while (room >= 4 * LANES && !LEVEL_NAME(parting_in_four)(a, b)) {
                    a += 4 * LANES;
                    b += 4 * LANES;
                    room -= 4 * LANES;
                }
            }
        }
        if (room != 0) {
            a -= LANES - room;
            b -= LANES - room;
            mask = LEVEL_NAME(parting)(a, b);
            if (mask) {
                goto found;
            }
            a += LANES;
            b += LANES;
        }
    }
    return 0;
found:;
    const size_t at = lane_mask_first(mask);
    return LEVEL_NAME(order)(a + at, b + at);
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

/* Either string begins within SMALL_BYTES of the end of its page. */
OVER_READS COLD static int compare_across(const lane *a, const lane *b, size_t n) {
    size_t left = COMPARE_LIMITED && n < SMALL_LANES ? n : SMALL_LANES;
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
    return NAME(COMPARE_LONG)(a, b, COMPARE_LIMITED ? n : ~(size_t)0);
}

OVER_READS INLINE int compare_small(const lane *a, const lane *b, size_t n) {
    if (COMPARE_LIMITED && n == 0) {
        return 0;
    }
    if (crosses_page(a, SMALL_BYTES) || crosses_page(b, SMALL_BYTES)) {
        return compare_across(a, b, n);
    }
    const uint64_t mask =
        mask_of_four(LEVEL_NAME(parting_test)(a, b), LEVEL_NAME(parting_test)(a + LANES, b + LANES),
                     LEVEL_NAME(parting_test)(a + 2 * LANES, b + 2 * LANES),
                     LEVEL_NAME(parting_test)(a + 3 * LANES, b + 3 * LANES));
    if (LIKELY(mask)) {
        const size_t at = first_of_four(mask);
        return COMPARE_LIMITED && at >= n ? 0 : LEVEL_NAME(order)(a + at, b + at);
    }
    if (COMPARE_LIMITED && n <= SMALL_LANES) {
        return 0;
    }
    return NAME(COMPARE_LONG)(a + SMALL_LANES, b + SMALL_LANES,
                              COMPARE_LIMITED ? n - SMALL_LANES : ~(size_t)0);
}

#endif

#endif
