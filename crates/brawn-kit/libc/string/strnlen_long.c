/* The long part of strlen and strnlen, which is one: without a limit, `end` is the end of memory. */
#include "text.h"
#define FIND_CHARACTER 0
#define FIND_LIMITED 1
#define FIND_RESULT size_t
#define FIND_DONE(hit) ((size_t)((hit) - base))
#define FIND_LONG __brawn_strnlen_
#define FIND_DEFINED
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"
