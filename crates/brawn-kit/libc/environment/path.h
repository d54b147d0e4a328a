/* Where a path and its last '/' end, found together: both functions need both, and one after the other takes twice as long. */
#ifndef BRAWN_PATH_H
#define BRAWN_PATH_H

#include "../string/vector16.h"

struct ends {
    size_t length;
    size_t last; /* how many bytes end with the last '/', 0 if there is none */
};

/* Reads whole vectors at addresses that are multiples of their size, which lie in pages of the path. */
OVER_READS INLINE struct ends ends_of(const char *path) {
    const size_t skip = (uintptr_t)path % VEC;
    const char *at = path - skip;
    const vec slashes = vec_fill('/');
    struct ends ends = {0, 0};
    vec bytes = vec_load_aligned(at);
    vec_mask null = mask_after(vec_mask_of(vec_null(bytes)), skip);
    vec_mask slash = mask_after(vec_mask_of(vec_equal(bytes, slashes)), skip);
    NO_UNROLL
    while (!null) {
        if (slash) {
            ends.last = ends.length + mask_last(slash) + 1;
        }
        at += VEC;
        ends.length = (size_t)(at - path);
        bytes = vec_load_aligned(at);
        null = vec_mask_of(vec_null(bytes));
        slash = vec_mask_of(vec_equal(bytes, slashes));
    }
    const size_t inner = mask_first(null);
    slash = mask_before(slash, inner);
    if (slash) {
        ends.last = ends.length + mask_last(slash) + 1;
    }
    ends.length += inner;
    return ends;
}

/* The same of the first bytes of a path, of which the last is no '/'. */
INLINE size_t last_slash(const char *path, size_t length) {
    while (length && path[length - 1] != '/') {
        length--;
    }
    return length;
}

#endif
