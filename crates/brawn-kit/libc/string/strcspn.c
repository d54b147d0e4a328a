/* How many bytes at the front of a string are not in a set: strset.h. */
#include "strset.h"

PUBLIC size_t NAME(strcspn)(const char *s, const char *set);

OVER_READS size_t NAME(strcspn)(const char *s, const char *set) {
    return span(s, set, false);
}
