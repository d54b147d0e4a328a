/* Fills blocks of more than 64 bytes, for memset, bzero, explicit_bzero and wmemset.
 *
 * Plan: up to eight vectors, from both ends at once; beyond, the ends first and then aligned groups of four.
 * Where the CPU has fast `rep stosb`, it takes the longest blocks. */
#define BRAWN_SET_BODY
#define BRAWN_BODY "set_body.h"
#include "set.h"
#include "levels.h"
