/* The length of a string, found in place where that takes at most 64 bytes, for the functions that begin with
 * it. */

size_t NAME(strlen)(const char *s);

OVER_READS INLINE size_t length_of(const char *s) {
    if (crosses_page(s, SMALL_BYTES)) {
        return NAME(strlen)(s);
    }
    for (size_t i = 0; i < SMALL_BYTES; i += VEC) {
        const vec_mask mask = vec_mask_of(vec_null(vec_load(s + i)));
        if (mask) {
            return i + mask_first(mask);
        }
    }
    return SMALL_BYTES + NAME(strlen)(s + SMALL_BYTES);
}
