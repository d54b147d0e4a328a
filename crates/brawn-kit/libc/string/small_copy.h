/* Copies and clears of at most 64 bytes, by loads and stores that may overlap. The first is stored last: who
 * reads the front of the operand next then need not wait for where the other went, which depends on the size.
 * For entries, and for parts with any vectors. */
#ifndef BRAWN_SMALL_COPY_H
#define BRAWN_SMALL_COPY_H

#include "brawn_string.h"

typedef unsigned char __attribute__((vector_size(16), may_alias, aligned(1))) any_u128;

INLINE any_u128 load128(const void *p) {
    return *(const any_u128 *)p;
}
INLINE void store128(void *p, any_u128 value) {
    *(any_u128 *)p = value;
}

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

/* Copies 16 to 64 bytes by four vectors of 16 that overlap, whatever the number. */
INLINE void copy_16_to_64(void *to, const void *from, size_t bytes) {
    char *const d = to;
    const char *const s = from;
    const size_t inner = bytes & 96 ? 16 : 0, last = bytes - 16;
    const any_u128 a = load128(s), b = load128(s + inner), c = load128(s + last - inner),
                   e = load128(s + last);
    /* Last to first, too. */
    store128(d + last, e);
    store128(d + last - inner, c);
    store128(d + inner, b);
    store128(d, a);
}

#endif
