/* Order of two strings: strcompare.h. */
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 0
#define COMPARE_LIMITED 0
#define COMPARE_LONG __brawn_strcmp_
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"

PUBLIC int NAME(strcmp)(const char *a, const char *b);

OVER_READS int NAME(strcmp)(const char *a, const char *b) {
    return compare_small((const lane *)a, (const lane *)b, ~(size_t)0);
}
