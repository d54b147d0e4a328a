/* isalnum, without branches: what comes next is as hard to guess as the text. */

#include "characters.h"

static inline int is(unsigned c) {
    return ((c | 32) - 'a' < 26) | (c - '0' < 10);
}

CLASS(int, isalnum, __isalnum_l, isalnum_l)
