/* memchr: see find.h. */
#include "find.h"

PUBLIC void *NAME(memchr)(const void *s, int c, size_t n);

OVER_READS void *NAME(memchr)(const void *s, int c, size_t n) {
    return find(s, (unsigned char)c, n);
}
