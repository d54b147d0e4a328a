/* memchr: see find.h. */
#define BRAWN_BODY "find.h"
#include "levels.h"
#include "find.h"

PUBLIC void *NAME(memchr)(const void *s, int c, size_t n);

void *NAME(memchr)(const void *s, int c, size_t n) {
    return find(s, (unsigned char)c, n);
}
