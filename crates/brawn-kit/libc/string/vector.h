/* Vectors of bytes and of wide characters for the long parts, behind the same names at every level: the
 * widest that the compiler's flags allow. functions.toml has the flags of each level.
 *
 *     vec                             a vector; VEC is its width in bytes
 *     vec_load                        from any address
 *     vec_load_aligned                from a multiple of VEC
 *     vec_store, vec_store_aligned    the same for stores
 *     vec_fill                        a byte in every lane
 *     vec_zero                        0 in every lane
 *     vec_min, vec_and, vec_or, vec_xor
 *     vec_equal, vec_unequal          compare lanes
 *     vec_null                        lanes that are 0
 *     vec_test                        the result of a comparison: a vector, or a mask register on AVX-512
 *     test_or, test_and, test_not     join such results
 *     test_any, test_all              is any lane, are all lanes set
 *     vec_keep(test, v)               v in the lanes that are set, 0 in the others
 *     vec_fold_xor                    0 where two bytes differ by no more than the case of an ASCII letter
 *     vec_mask                        a test as an integer, lane 0 lowest, some bits a lane
 *     vec_mask_of(test)               makes one
 *     mask_first, mask_last           the index of the first or last lane that is set; the mask must not be 0
 *     mask_drop                       the mask without its first lane that is set
 *     mask_after(mask, n)             drops the first n lanes and shifts the others down, n < VEC
 *     mask_before(mask, n)            keeps the first n lanes, n <= VEC
 *     short_vec, short_load, ...      for blocks that may be read again at once
 *
 * The same with `wide_` for lanes of 4 bytes, where indexes and counts are lanes and not bytes: wide_fill,
 * wide_equal, wide_unequal, wide_null, wide_min, wide_test, wide_mask, wide_mask_of, ... */
#ifndef BRAWN_VECTOR_H
#define BRAWN_VECTOR_H

#include "brawn_string.h"

#if defined(__AVX512BW__)
#include "vector_avx512.h"
#define LEVEL_SUFFIX _avx512
#elif defined(__AVX2__)
#include "vector_avx2.h"
#define LEVEL_SUFFIX _avx2
#elif defined(__x86_64__)
#include "vector16.h"
#define LEVEL_SUFFIX _sse2
#else
#include "vector16.h"
#define LEVEL_SUFFIX _neon
#endif

/* Begins the definition of this level's variant of a long part, which DISPATCH_* declares for the entries. */
#define LONG_PART(type, family, parameters)                                                                  \
    HIDDEN type NAME(BRAWN_PASTE(family, LEVEL_SUFFIX)) parameters;                                          \
    type NAME(BRAWN_PASTE(family, LEVEL_SUFFIX)) parameters

#endif
