/* The long part of wcscmp and wcsncmp: strcompare.h. */
#define WITHOUT_AVX512
#define LANES_WIDE
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 0
#define COMPARE_LIMITED 1
#define COMPARE_LONG __brawn_wcscmp_
#define COMPARE_DEFINED
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"
