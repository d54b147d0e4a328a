/* First place of a string in another: strsearch.h. */
#include "vector16.h"
#include "strsearch.h"

PUBLIC char *NAME(strstr)(const char *haystack, const char *needle);
char *NAME(strchr)(const char *s, int c);

DISPATCH_TO_AVX512(char *, search_long, __brawn_strstr,
                   (const char *p, const char *needle, struct search search), (p, needle, search))

/* By 16, at every level, where neither crosses into a page that may not be there. */
OVER_READS NOINLINE size_t NAME(__brawn_strstr_rest)(const char *p, const char *needle, size_t same) {
    for (;;) {
        if (LIKELY(!crosses_page(p + same, VEC) && !crosses_page(needle + same, VEC))) {
            const vec u = vec_load(needle + same), v = vec_load(p + same);
            /* Null where they differ or the needle ends. */
            const vec_mask mask = vec_mask_of(vec_null(vec_keep(vec_equal(u, v), u)));
            if (mask) {
                return same + mask_first(mask);
            }
            same += VEC;
        } else {
            NO_UNROLL
            for (const size_t end = same + VEC; same < end; same++) {
                if (needle[same] == 0 || p[same] != needle[same]) {
                    return same;
                }
            }
        }
    }
}

/* A function of its own, for the entry has a stack frame, which level_now() does not expect. */
static NOINLINE char *search_further(const char *p, const char *needle, struct search search) {
    return search_long(p, needle, search);
}

/* The haystack begins close to the end of its page. */
COLD static char *search_across(const char *haystack, const char *needle) {
    struct search search = {haystack, 0};
    const char *const page = haystack + page_room(haystack);
    char *found;
    if (search_to_page(page, needle, &search, &found, false)) {
        return found;
    }
    return search_further(page + VEC, needle, search);
}

OVER_READS char *NAME(strstr)(const char *haystack, const char *needle) {
    if (needle[0] == 0) {
        return (char *)(uintptr_t)haystack;
    }
    if (needle[1] == 0) {
        return NAME(strchr)(haystack, needle[0]);
    }
    if (crosses_page(haystack, SMALL_BYTES + 1)) {
        return search_across(haystack, needle);
    }
    struct search search = {haystack, 0};
    if (*haystack == 0) {
        return NULL;
    }
    const struct pair pair = pair_of(needle, false);
    char *found;
    NO_UNROLL
    for (const char *p = haystack + 1; p <= haystack + SMALL_BYTES - VEC + 1; p += VEC) {
        if (search_in(p, pair, needle, &search, &found, false)) {
            return found;
        }
    }
    return search_further(haystack + SMALL_BYTES + 1, needle, search);
}
