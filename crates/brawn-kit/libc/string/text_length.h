/* The length of a string, found in place where that takes at most 64 bytes, for the functions that begin with
 * it. */

size_t NAME(strlen)(const char *s);

OVER_READS INLINE size_t length_of(const char *s) {
    if (crosses_page(s, SMALL_BYTES)) {
        return NAME(strlen)(s);
    }
    const uint64_t mask = mask_of_four(vec_null(vec_load(s)), vec_null(vec_load(s + VEC)),
                                       vec_null(vec_load(s + 2 * VEC)), vec_null(vec_load(s + 3 * VEC)));
    if (LIKELY(mask)) {
        return first_of_four(mask);
    }
    return SMALL_BYTES + NAME(strlen)(s + SMALL_BYTES);
}

/* The same for a string that is to be appended to. Often it is empty, and that by a store of one byte just
 * before, which a vector would have to wait for. */
OVER_READS INLINE size_t length_before(const char *s) {
    if (*s == 0) {
        BRANCH();
        return 0;
    }
    return length_of(s);
}
