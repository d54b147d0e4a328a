/* iswspace: what is below 0x2000 needs no list. */

#include "characters.h"

static inline int is(unsigned c) {
    if (c < 0x2000) {
        return c - '\t' < 5 || c == ' ' || c == 0x85;
    }
    /* Not 0x2007 and 0x202f, at which no line is broken. */
    return (c < 0x200b && c != 0x2007) || c - 0x2028 < 2 || c == 0x205f || c == 0x3000;
}

CLASS(wint_t, iswspace, __iswspace_l, iswspace_l)
