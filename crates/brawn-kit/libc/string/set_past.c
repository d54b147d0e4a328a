/* Fills what the last cache would keep no more than the end of: stored past it, see copy_past.c. In order, as there is
 * nothing to read. */
#include "past.h"

#if defined(__x86_64__)

#include "vector16.h"

COLD void *set_past(unsigned char *target, uint32_t pattern, size_t n) {
    /* The pattern is as wide as a wide character, and so is the alignment of a target of those. */
    const vec value = _mm_set1_epi32((int)pattern);
    unsigned char *const end = target + n;
    vec_store(target, value);
    vec_store(end - 16, value);
    unsigned char *to = (unsigned char *)(((uintptr_t)target | 15) + 1);
    NO_UNROLL
    for (; end - to >= 16; to += 16) {
        _mm_stream_si128((__m128i *)to, value);
    }
    /* Who sees what is stored afterwards sees this. */
    _mm_sfence();
    know_past();
    return target;
}

#endif
