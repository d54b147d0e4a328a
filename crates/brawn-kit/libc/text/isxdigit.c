/* isxdigit, without branches: what comes next is as hard to guess as the text. */

#include "characters.h"

static inline int is(unsigned c) {
    return ((c | 32) - 'a' < 6) | (c - '0' < 10);
}

CLASS(int, isxdigit, __isxdigit_l, isxdigit_l)
