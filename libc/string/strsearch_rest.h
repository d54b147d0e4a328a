/* What strsearch.h needs before its passes. */

#include "fold.h"
#include "text.h"

/* strstr_two_way.c */
HIDDEN char *NAME(__brawn_two_way)(const char *haystack, const char *needle, bool folded);

struct search {
    const char *start;
    size_t spent; /* bytes that were found the same at places where the needle then is not */
};

INLINE unsigned char search_byte(char byte) {
    return (unsigned char)(SEARCH_FOLDED ? ascii_fold((unsigned char)byte) : (unsigned char)byte);
}

/* How many bytes of the needle, all of them if need be, are at p. */
INLINE size_t search_rest(const char *p, const char *needle) {
    size_t same = 0;
    while (needle[same] && search_byte(p[same]) == search_byte(needle[same])) {
        same++;
    }
    return same;
}
