/* The name under which musl's memmove calls its memcpy on x86_64. An object of its own: stock musl defines it
 * beside memcpy, so that a program with a memcpy of its own cannot call memmove. */
#include "brawn_string.h"

void *NAME(memmove)(void *target, const void *source, size_t n);
PUBLIC void *NAME(__memcpy_fwd)(void *target, const void *source, size_t n);

void *NAME(__memcpy_fwd)(void *target, const void *source, size_t n) {
    return NAME(memmove)(target, source, n);
}
