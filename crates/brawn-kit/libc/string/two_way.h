/* strstr_two_way.c: finds a needle of `length` bytes, at least one, in linear time and constant memory. The
 * first `known` bytes of the haystack are known to belong to it; strings go on behind them up to a null. */
#ifndef BRAWN_TWO_WAY_H
#define BRAWN_TWO_WAY_H

#include "brawn_string.h"

#define TWO_WAY_TEXT 0u
#define TWO_WAY_FOLDED 1u /* a text in which ASCII letters are compared as lower case */
#define TWO_WAY_MEMORY 2u

HIDDEN char *NAME(__brawn_two_way)(const char *haystack, size_t known, const char *needle, size_t length,
                                   unsigned kind);

#endif
