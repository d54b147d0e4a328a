/* The long part of wcslen and wcsnlen, which is one: without a limit, `end` is the end of memory. */
#define LANES_WIDE
#include "text.h"
#define FIND_CHARACTER 0
#define FIND_LIMITED 1
#define FIND_RESULT size_t
#define FIND_DONE(hit) ((size_t)((hit) - base))
#define FIND_LONG __brawn_wcsnlen_
#define FIND_DEFINED
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"
