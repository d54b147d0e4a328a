/* The search for a byte, for memchr, memccpy and memmem; see find.h. */
#define BRAWN_FIND_BODY
#include "find.h"

#define FIND_LINKAGE OVER_READS
#define BRAWN_BODY "find_body.h"
#include "levels.h"
