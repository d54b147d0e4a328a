/* The long part of strcmp and strncmp: strcompare.h. */
#include "text.h"
#include "fold.h"
#define COMPARE_FOLDED 0
#define COMPARE_LIMITED 1
#define COMPARE_LONG __brawn_strcmp_
#define COMPARE_DEFINED
#define BRAWN_BODY "strcompare.h"
#include "levels.h"
#include "strcompare.h"
