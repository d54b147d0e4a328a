/* ispunct, without branches: what comes next is as hard to guess as the text. */

#include "characters.h"

static inline int is(unsigned c) {
    return (c - '!' < 94) & ((c | 32) - 'a' >= 26) & (c - '0' >= 10);
}

CLASS(int, ispunct, __ispunct_l, ispunct_l)
