/* Order of two strings, of at most n bytes: strcompare.h. */
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 0
#define COMPARE_LIMITED 1
#define COMPARE_LONG __brawn_strcmp_
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"

PUBLIC int NAME(strncmp)(const char *a, const char *b, size_t n);

OVER_READS int NAME(strncmp)(const char *a, const char *b, size_t n) {
    return compare_small((const lane *)a, (const lane *)b, n);
}
