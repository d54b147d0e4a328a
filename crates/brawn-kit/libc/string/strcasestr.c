/* First place of a string in another, whatever the letters' case: strsearch.h. As in musl, nothing is found
 * in an empty haystack, not even an empty needle. */
#define BASELINE_ONLY
#define SEARCH_FOLDED 1
#include "strsearch_rest.h"
#define BRAWN_BODY "strsearch.h"
#include "levels.h"
#include "strsearch.h"

PUBLIC char *NAME(strcasestr)(const char *haystack, const char *needle);
size_t NAME(strcspn)(const char *s, const char *set);

OVER_READS char *NAME(strcasestr)(const char *haystack, const char *needle) {
    if (haystack[0] == 0) {
        return NULL;
    }
    if (needle[0] == 0) {
        return (char *)(uintptr_t)haystack;
    }
    if (needle[1] == 0) {
        const char lower = (char)search_byte(needle[0]);
        const char upper = (char)(lower >= 'a' && lower <= 'z' ? lower - 0x20 : lower);
        const char both[] = {lower, upper, 0};
        haystack += NAME(strcspn)(haystack, both);
        return *haystack ? (char *)(uintptr_t)haystack : NULL;
    }
    return search_small(haystack, needle);
}
