/* Comparisons of more than 64 bytes, for memcmp, bcmp and wmemcmp: one object, so that a program pays for it
 * once.
 *
 * Plan: up to eight vectors, in two groups of four of which the second ends where the operands end; beyond,
 * groups aligned to one of the operands. Each group costs one branch. */
#define BRAWN_COMPARE_BODY
#define BRAWN_BODY "compare_body.h"
#include "compare.h"
#include "levels.h"
