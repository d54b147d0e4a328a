/* Copies and clears of at most 64 bytes, by loads and stores that may overlap. The first is stored last: who
 * reads the front of the operand next then need not wait for where the other went, which depends on the size.
 * For entries. */
#ifndef BRAWN_SMALL_COPY_H
#define BRAWN_SMALL_COPY_H

#include "vector16.h"

/* `bytes` is 1 to 16. */
INLINE void copy_up_to_16(void *to, const void *from, size_t bytes) {
    char *const d = to;
    const char *const s = from;
    if (bytes >= 8) {
        const uint64_t head = load64(s), tail = load64(s + bytes - 8);
        store64(d + bytes - 8, tail);
        store64(d, head);
    } else if (bytes >= 4) {
        const uint32_t head = load32(s), tail = load32(s + bytes - 4);
        store32(d + bytes - 4, tail);
        store32(d, head);
    } else {
        const char head = s[0], middle = s[bytes / 2], tail = s[bytes - 1];
        d[bytes - 1] = tail;
        d[bytes / 2] = middle;
        d[0] = head;
    }
}

/* `bytes` is 0 to 16. */
INLINE void clear_up_to_16(void *to, size_t bytes) {
    char *const d = to;
    if (bytes >= 8) {
        store64(d + bytes - 8, 0);
        store64(d, 0);
    } else if (bytes >= 4) {
        store32(d + bytes - 4, 0);
        store32(d, 0);
    } else if (bytes != 0) {
        d[bytes - 1] = 0;
        d[bytes / 2] = 0;
        d[0] = 0;
    }
}

/* Copies 16 to 64 bytes by four vectors that overlap, whatever the number. */
INLINE void copy_16_to_64(void *to, const void *from, size_t bytes) {
    char *const d = to;
    const char *const s = from;
    const size_t inner = bytes & 96 ? 16 : 0, last = bytes - 16;
    const vec a = vec_load(s), b = vec_load(s + inner), c = vec_load(s + last - inner),
              e = vec_load(s + last);
    /* Last to first, too. */
    vec_store(d + last, e);
    vec_store(d + last - inner, c);
    vec_store(d + inner, b);
    vec_store(d, a);
}

#endif
