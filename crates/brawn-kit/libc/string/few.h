/* Copies and clears up to 16 bytes by two words that may overlap. The first is stored last: who reads the
 * front of the operand next then need not wait for where the other went, which depends on the size. */
#ifndef BRAWN_FEW_H
#define BRAWN_FEW_H

#include "brawn_string.h"

/* `bytes` is 1 to 16. */
INLINE void copy_few(void *to, const void *from, size_t bytes) {
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
INLINE void clear_few(void *to, size_t bytes) {
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

#endif
