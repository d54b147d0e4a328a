/* The long part of strchr and, with a null `base`, of strchrnul: strfind.h. */
#include "text.h"
#define FIND_CHARACTER 1
#define FIND_LIMITED 0
#define FIND_RESULT char *
#define FIND_DONE(hit) (*(hit) == character || base == NULL ? (char *)(uintptr_t)(hit) : NULL)
#define FIND_LONG __brawn_strchr_long
#define FIND_DEFINED
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"
