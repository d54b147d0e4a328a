/* What strsearch.h needs before its passes. */

#include "fold.h"
#include "text.h"
#include "two_way.h"

size_t NAME(strlen)(const char *s);

struct search {
    const char *start;
    size_t spent; /* bytes that were found the same at places where the needle then is not */
};

INLINE unsigned char search_byte(char byte) {
    return (unsigned char)(SEARCH_FOLDED ? ascii_fold((unsigned char)byte) : (unsigned char)byte);
}

/* The bit that tells the cases of a letter apart, or 0. */
INLINE unsigned char case_bit(char byte) {
    return SEARCH_FOLDED && (unsigned)search_byte(byte) - 'a' < 26 ? 0x20 : 0;
}

/* How many bytes of the needle, all of them if need be, are at p, of which `same` are known to be. */
#if SEARCH_FOLDED
static NOINLINE size_t search_rest(const char *p, const char *needle, size_t same) {
    while (needle[same] != 0 && search_byte(p[same]) == search_byte(needle[same])) {
        same++;
    }
    return same;
}
#else
/* By 16, at every level, where neither crosses into a page that may not be there. */
#if defined(__aarch64__)
#define LEVEL_SUFFIX _neon
#else
#define LEVEL_SUFFIX _sse2
#endif
OVER_READS static NOINLINE size_t search_rest(const char *p, const char *needle, size_t same) {
    for (;;) {
        if (LIKELY(!crosses_page(p + same, VEC) && !crosses_page(needle + same, VEC))) {
            const vec u = vec_load(needle + same), v = vec_load(p + same);
            /* Null where they differ or the needle ends. */
            const vec_mask mask = vec_mask_of(vec_null(LEVEL_NAME(keep)(vec_equal(u, v), u)));
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
#undef LEVEL_SUFFIX
#endif
