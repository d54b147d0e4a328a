/* How many copies and fills past the cache are not what they should be, on a CPU with AVX2 or without. */
#ifndef BRAWN_STRING_TEST_PAST_COPIES_H
#define BRAWN_STRING_TEST_PAST_COPIES_H

#include <stdbool.h>

unsigned wrong_past_copies(bool avx2);

#endif
