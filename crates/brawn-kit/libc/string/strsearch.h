/* strstr and strcasestr for needles of two bytes and more: find the first two bytes of the needle beside each
 * other, then compare the rest. `folded` says that ASCII letters are compared as lower case; it is always a
 * constant.
 *
 * Entry: the first 64 places by vectors of 16. Long: aligned vectors of the level's width, each compared with
 * the needle's second byte, and the vector one byte before it with the first: so no load reaches into a page
 * where nothing has been read. Places where the rest is then found to differ cost what they had in common; as
 * soon as that adds up to more than a few times the distance travelled, the two-way algorithm takes over, and
 * the whole takes linear time whatever the strings.
 *
 * Include it after vector16.h or vector.h. */
#ifndef BRAWN_STRSEARCH_H
#define BRAWN_STRSEARCH_H

#include "fold.h"
#include "text.h"
#include "two_way.h"

size_t NAME(strlen)(const char *s);

struct search {
    const char *start;
    size_t spent; /* bytes that were found the same at places where the needle then is not */
};

INLINE unsigned char search_byte(char byte, bool folded) {
    return (unsigned char)(folded ? ascii_fold((unsigned char)byte) : (unsigned char)byte);
}

/* The bit that tells the cases of a letter apart, or 0. */
INLINE unsigned char case_bit(char byte, bool folded) {
    return folded && (unsigned)search_byte(byte, true) - 'a' < 26 ? 0x20 : 0;
}

/* How many bytes of the needle, all of them if need be, are at p, of which `same` are known to be. */
HIDDEN size_t NAME(__brawn_strstr_rest)(const char *p, const char *needle, size_t same);
HIDDEN size_t NAME(__brawn_strcasestr_rest)(const char *p, const char *needle, size_t same);

INLINE size_t search_rest(const char *p, const char *needle, size_t same, bool folded) {
    return folded ? NAME(__brawn_strcasestr_rest)(p, needle, same)
                  : NAME(__brawn_strstr_rest)(p, needle, same);
}

struct pair {
    vec first, second;         /* the bytes that are looked for */
    vec first_bit, second_bit; /* what is set in letters of either case before they are compared */
};

INLINE struct pair pair_of(const char *needle, bool folded) {
    const struct pair pair = {vec_fill(search_byte(needle[0], folded)),
                              vec_fill(search_byte(needle[1], folded)), vec_fill(case_bit(needle[0], folded)),
                              vec_fill(case_bit(needle[1], folded))};
    return pair;
}

/* How many bytes of the needle, all of them if need be, are at p. */
OVER_READS INLINE size_t search_same(const char *p, const char *needle, bool folded) {
    if (!folded && LIKELY(!crosses_page(p, VEC) && !crosses_page(needle, VEC))) {
        const vec u = vec_load(needle);
        /* Null where they differ or the needle ends. */
        const vec_mask mask = vec_mask_of(vec_null(vec_keep(vec_equal(u, vec_load(p)), u)));
        return LIKELY(mask) ? mask_first(mask) : search_rest(p, needle, VEC, folded);
    }
    return search_rest(p, needle, 0, folded);
}

/* Looks at the places p - 1 onwards. Returns true with the result in *found if the search ends here. */
OVER_READS INLINE bool search_in(const char *p, struct pair pair, const char *needle, struct search *search,
                                 char **found, bool folded) {
    const vec u = vec_load(p - 1), v = vec_load(p);
    vec_mask ends = vec_mask_of(vec_null(v));
    vec_mask mask = vec_mask_of(test_and(vec_equal(folded ? vec_or(u, pair.first_bit) : u, pair.first),
                                         vec_equal(folded ? vec_or(v, pair.second_bit) : v, pair.second)));
    if (LIKELY((mask | ends) == 0)) {
        return false;
    }
    if (ends) {
        mask &= ends ^ (ends - 1);
    }
    for (; mask; mask = mask_drop(mask)) {
        const char *const place = p - 1 + mask_first(mask);
        const size_t same = search_same(place + 2, needle + 2, folded);
        if (needle[2 + same] == 0) {
            *found = (char *)(uintptr_t)place;
            return true;
        }
        search->spent += same;
        if (UNLIKELY(search->spent > 256 + 4 * (size_t)(place - search->start))) {
            *found = NAME(__brawn_two_way)(place, 0, needle, NAME(strlen)(needle),
                                           folded ? TWO_WAY_FOLDED : TWO_WAY_TEXT);
            return true;
        }
    }
    *found = NULL;
    return ends != 0;
}

/* The same for a haystack that begins close to the end of its page: byte by byte up to a vector of the
 * next. */
INLINE bool search_to_page(const char *page, const char *needle, struct search *search, char **found,
                           bool folded) {
    for (const char *p = search->start; p < page + VEC; p++) {
        if (p[0] == 0 || p[1] == 0) {
            *found = NULL;
            return true;
        }
        if (search_byte(p[0], folded) == search_byte(needle[0], folded) &&
            search_byte(p[1], folded) == search_byte(needle[1], folded)) {
            const size_t same = search_rest(p + 2, needle + 2, 0, folded);
            if (needle[2 + same] == 0) {
                *found = (char *)(uintptr_t)p;
                return true;
            }
            search->spent += same;
        }
    }
    return false;
}

#endif
