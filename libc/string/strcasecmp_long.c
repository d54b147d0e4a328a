/* The long part of strcasecmp and strncasecmp: strcompare.h. */
#define WITHOUT_AVX512
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 1
#define COMPARE_LIMITED 1
#define COMPARE_LONG __brawn_strcasecmp_
#define COMPARE_DEFINED
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"
