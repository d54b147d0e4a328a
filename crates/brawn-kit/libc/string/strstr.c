/* First place of a string in another: strsearch.h. */
#define SEARCH_FOLDED 0
#include "strsearch_rest.h"
#define BRAWN_BODY "strsearch.h"
#include "levels.h"
#include "strsearch.h"

PUBLIC char *NAME(strstr)(const char *haystack, const char *needle);
char *NAME(strchr)(const char *s, int c);

OVER_READS char *NAME(strstr)(const char *haystack, const char *needle) {
    if (needle[0] == 0) {
        return (char *)(uintptr_t)haystack;
    }
    if (needle[1] == 0) {
        return NAME(strchr)(haystack, needle[0]);
    }
    return search_small(haystack, needle);
}
