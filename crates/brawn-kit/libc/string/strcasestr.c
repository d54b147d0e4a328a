/* First place of a string in another, whatever the letters' case: strsearch.h. As in musl, nothing is found
 * in an empty haystack, not even an empty needle. Vectors of 16 bytes do at every level: it is far ahead in
 * baseline code, and seldom called. */
#include "vector16.h"
#include "strsearch.h"

PUBLIC char *NAME(strcasestr)(const char *haystack, const char *needle);
size_t NAME(strcspn)(const char *s, const char *set);

NOINLINE size_t NAME(__brawn_strcasestr_rest)(const char *p, const char *needle, size_t same) {
    while (needle[same] != 0 && search_byte(p[same], true) == search_byte(needle[same], true)) {
        same++;
    }
    return same;
}

/* All places before p - 1 have been looked at. p less the width of a vector is within the haystack; or it is
 * one byte into it, and its page goes on for SMALL_BYTES. */
OVER_READS static NOINLINE char *search_further(const char *p, const char *needle, struct search search) {
    const struct pair pair = pair_of(needle, true);
    char *found;
    for (size_t unaligned = SMALL_BYTES / VEC;; p += VEC, unaligned--) {
        if (unaligned == 0) {
            p = (const char *)((uintptr_t)p & ~(uintptr_t)(VEC - 1));
        }
        if (search_in(p, pair, needle, &search, &found, true)) {
            return found;
        }
    }
}

/* The haystack begins close to the end of its page. */
COLD static char *search_across(const char *haystack, const char *needle) {
    struct search search = {haystack, 0};
    const char *const page = haystack + page_room(haystack);
    char *found;
    if (search_to_page(page, needle, &search, &found, true)) {
        return found;
    }
    return search_further(page + VEC, needle, search);
}

OVER_READS char *NAME(strcasestr)(const char *haystack, const char *needle) {
    if (haystack[0] == 0) {
        return NULL;
    }
    if (needle[0] == 0) {
        return (char *)(uintptr_t)haystack;
    }
    if (needle[1] == 0) {
        const char lower = (char)search_byte(needle[0], true);
        const char upper = (char)(lower >= 'a' && lower <= 'z' ? lower - 0x20 : lower);
        const char both[] = {lower, upper, 0};
        haystack += NAME(strcspn)(haystack, both);
        return *haystack ? (char *)(uintptr_t)haystack : NULL;
    }
    if (crosses_page(haystack, SMALL_BYTES + 1)) {
        return search_across(haystack, needle);
    }
    const struct search search = {haystack, 0};
    return search_further(haystack + 1, needle, search);
}
