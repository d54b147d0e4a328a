/* What strcasecmp and strncasecmp share: strcompare.h. */
#define WITHOUT_AVX512
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 1
#define COMPARE_LIMITED 1
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"

HIDDEN int NAME(__brawn_strcasecmp_to)(const char *a, const char *b, size_t n);

OVER_READS int NAME(__brawn_strcasecmp_to)(const char *a, const char *b, size_t n) {
    return compare_small((const lane *)a, (const lane *)b, n);
}
