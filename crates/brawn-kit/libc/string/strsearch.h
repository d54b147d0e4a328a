/* strstr and strcasestr for needles of two bytes and more: find the first two bytes of the needle beside each
 * other, then compare the rest.
 *
 * The file that includes this defines SEARCH_FOLDED, 1 if ASCII letters are compared as lower case.
 *
 * Entry: the first 64 places by vectors of 16. Long: aligned vectors of the level's width, each compared with
 * the needle's second byte, and the vector one byte before it with the first: so no load reaches into a page
 * where nothing has been read. Places where the rest is then found to differ cost what they had in common; as
 * soon as that adds up to more than a few times the distance travelled, the two-way algorithm takes over, and
 * the whole takes linear time whatever the strings. */

#ifdef BRAWN_PASS

struct LEVEL_NAME(pair) {
    vec first, second;         /* the bytes that are looked for */
    vec first_bit, second_bit; /* what is set in letters of either case before they are compared */
};

INLINE struct LEVEL_NAME(pair) LEVEL_NAME(pair_of)(const char *needle) {
    const struct LEVEL_NAME(pair) pair = {vec_fill(search_byte(needle[0])), vec_fill(search_byte(needle[1])),
                                          vec_fill(case_bit(needle[0])), vec_fill(case_bit(needle[1]))};
    return pair;
}

/* How many bytes of the needle, all of them if need be, are at p. */
OVER_READS INLINE size_t LEVEL_NAME(search_same)(const char *p, const char *needle) {
    if (!SEARCH_FOLDED && LIKELY(!crosses_page(p, VEC) && !crosses_page(needle, VEC))) {
        const vec u = vec_load(needle);
        /* Null where they differ or the needle ends. */
        const vec_mask mask = vec_mask_of(vec_null(LEVEL_NAME(keep)(vec_equal(u, vec_load(p)), u)));
        return LIKELY(mask) ? mask_first(mask) : search_rest(p, needle, VEC);
    }
    return search_rest(p, needle, 0);
}

/* Looks at the places p - 1 onwards (v is loaded from p, u from p - 1). Returns true with the result in
 * *found if the search ends here. */
OVER_READS INLINE bool LEVEL_NAME(search_in)(const char *p, vec u, vec v, struct LEVEL_NAME(pair) pair,
                                             const char *needle, struct search *search, char **found) {
    vec_mask ends = vec_mask_of(vec_null(v));
    vec_mask mask =
        vec_mask_of(test_and(vec_equal(SEARCH_FOLDED ? vec_or(u, pair.first_bit) : u, pair.first),
                             vec_equal(SEARCH_FOLDED ? vec_or(v, pair.second_bit) : v, pair.second)));
    if (LIKELY((mask | ends) == 0)) {
        return false;
    }
    if (ends) {
        mask &= ends ^ (ends - 1);
    }
    for (; mask; mask = mask_drop(mask)) {
        const char *const place = p - 1 + mask_first(mask);
        const size_t same = LEVEL_NAME(search_same)(place + 2, needle + 2);
        if (needle[2 + same] == 0) {
            *found = (char *)(uintptr_t)place;
            return true;
        }
        search->spent += same;
        if (UNLIKELY(search->spent > 256 + 4 * (size_t)(place - search->start))) {
            *found = NAME(__brawn_two_way)(place, 0, needle, NAME(strlen)(needle),
                                           SEARCH_FOLDED ? TWO_WAY_FOLDED : TWO_WAY_TEXT);
            return true;
        }
    }
    *found = NULL;
    return ends != 0;
}

/* All places before p - 1 have been looked at. p less the width of a vector is within the haystack; or, where
 * one function does the work of entry and long part (SEARCH_FOLDED), p is one byte into it, and its page goes
 * on for SMALL_BYTES. */
OVER_READS static MAYBE_UNUSED char *LEVEL_NAME(search_long)(const char *p, const char *needle,
                                                             struct search search) {
    const struct LEVEL_NAME(pair) pair = LEVEL_NAME(pair_of)(needle);
    char *found;
#if SEARCH_FOLDED
    for (size_t unaligned = SMALL_BYTES / VEC;; p += VEC, unaligned--) {
        if (unaligned == 0) {
            p = (const char *)((uintptr_t)p & ~(uintptr_t)(VEC - 1));
        }
#else
    p = (const char *)((uintptr_t)p & ~(uintptr_t)(VEC - 1));
    for (;; p += VEC) {
#endif
        if (LEVEL_NAME(search_in)(p, vec_load(p - 1), vec_load(p), pair, needle, &search, &found)) {
            return found;
        }
    }
}

#else

DISPATCHED(char *, search_long, (const char *p, const char *needle, struct search search),
           (p, needle, search))

/* A function of its own, for the entry has a stack frame, which level_now() does not expect. */
static NOINLINE char *search_further(const char *p, const char *needle, struct search search) {
    return search_long(p, needle, search);
}

/* The haystack begins close to the end of its page: byte by byte into the next one. */
COLD static char *search_across(const char *haystack, const char *needle) {
    struct search search = {haystack, 0};
    const char *const page = haystack + page_room(haystack);
    for (const char *p = haystack; p < page + VEC; p++) {
        if (p[0] == 0 || p[1] == 0) {
            return NULL;
        }
        if (search_byte(p[0]) == search_byte(needle[0]) && search_byte(p[1]) == search_byte(needle[1])) {
            const size_t same = search_rest(p + 2, needle + 2, 0);
            if (needle[2 + same] == 0) {
                return (char *)(uintptr_t)p;
            }
            search.spent += same;
        }
    }
    return search_further(page + VEC, needle, search);
}

OVER_READS INLINE char *search_small(const char *haystack, const char *needle) {
    if (crosses_page(haystack, SMALL_BYTES + 1)) {
        return search_across(haystack, needle);
    }
    struct search search = {haystack, 0};
    if (*haystack == 0) {
        return NULL;
    }
#if SEARCH_FOLDED
    return search_long(haystack + 1, needle, search);
#else
    const struct LEVEL_NAME(pair) pair = LEVEL_NAME(pair_of)(needle);
    char *found;
    NO_UNROLL
    for (const char *p = haystack + 1; p <= haystack + SMALL_BYTES - VEC + 1; p += VEC) {
        if (LEVEL_NAME(search_in)(p, vec_load(p - 1), vec_load(p), pair, needle, &search, &found)) {
            return found;
        }
    }
    return search_further(haystack + SMALL_BYTES + 1, needle, search);
#endif
}

#endif
