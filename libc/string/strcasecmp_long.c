/* The long part of strcasecmp and strncasecmp: strcompare.h. Vectors of 64 bytes would reach back beyond the
 * 32 that the entry has compared. */
#define WITHOUT_AVX512
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 1
#define COMPARE_LIMITED 1
#define COMPARE_LONG __brawn_strcasecmp_long
#define COMPARE_DEFINED
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"
