/* Vectors of bytes and of wide characters, behind the same names at every level.
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
 *     vec_mask                        a test as an integer, lane 0 lowest, MASK_STEP bits a lane
 *     vec_mask_of(test)               makes one
 *     mask_first, mask_last           the index of the first or last lane that is set; the mask must not be 0
 *     mask_after(mask, n)             drops the first n lanes and shifts the others down, n < VEC
 *     mask_before(mask, n)            keeps the first n lanes, n <= VEC
 *
 * The same with `wide_` for lanes of 4 bytes, where indexes and counts are lanes and not bytes: wide_fill,
 * wide_equal, wide_unequal, wide_null, wide_min, wide_test, wide_mask, wide_mask_of, ...
 *
 * Names are bound to a level by LEVEL_SUFFIX; see levels.h. */
#ifndef BRAWN_VECTOR_H
#define BRAWN_VECTOR_H

#include "brawn_string.h"

/* Its own pasting, because the name that it makes may be one that NAME() makes again. */
#define LEVEL_PASTE_(name, suffix) name##suffix
#define LEVEL_PASTE(name, suffix) LEVEL_PASTE_(name, suffix)
#define LEVEL_NAME(name) LEVEL_PASTE(name, LEVEL_SUFFIX)

#if defined(__aarch64__)

#include "vector_neon.h"

#else

#include <immintrin.h>

/* Everything between PUSH and POP is compiled for that level. */
#define AVX2_FEATURES "avx2,bmi,bmi2"
#define AVX512_FEATURES "avx2,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl"
#define PRAGMA_(text) _Pragma(#text)
#define PRAGMA(text) PRAGMA_(text)
#ifdef __clang__
#define TARGET_PUSH(features)                                                                                \
    PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define TARGET_POP PRAGMA(clang attribute pop)
#else
#define TARGET_PUSH(features) PRAGMA(GCC push_options) PRAGMA(GCC target(features))
#define TARGET_POP PRAGMA(GCC pop_options)
#endif

#include "vector_sse2.h"
TARGET_PUSH(AVX2_FEATURES)
#include "vector_avx2.h"
TARGET_POP
TARGET_PUSH(AVX512_FEATURES)
#include "vector_avx512.h"
TARGET_POP

#endif

#define vec LEVEL_NAME(vec)
#define vec_test LEVEL_NAME(vec_test)
#define vec_mask LEVEL_NAME(vec_mask)
#define VEC sizeof(vec)
#define vec_load LEVEL_NAME(vec_load)
#define vec_load_aligned LEVEL_NAME(vec_load_aligned)
#define vec_store LEVEL_NAME(vec_store)
#define vec_store_aligned LEVEL_NAME(vec_store_aligned)
#define short_vec LEVEL_NAME(short_vec)
#define short_load LEVEL_NAME(short_load)
#define short_store LEVEL_NAME(short_store)
#define vec_fill LEVEL_NAME(vec_fill)
#define vec_zero LEVEL_NAME(vec_zero)
#define vec_min LEVEL_NAME(vec_min)
#define vec_and LEVEL_NAME(vec_and)
#define vec_or LEVEL_NAME(vec_or)
#define vec_xor LEVEL_NAME(vec_xor)
#define vec_equal LEVEL_NAME(vec_equal)
#define vec_unequal LEVEL_NAME(vec_unequal)
#define vec_null LEVEL_NAME(vec_null)
#define test_or LEVEL_NAME(test_or)
#define test_and LEVEL_NAME(test_and)
#define test_any LEVEL_NAME(test_any)
#define test_all LEVEL_NAME(test_all)
#define test_not LEVEL_NAME(test_not)
#define vec_mask_of LEVEL_NAME(vec_mask_of)
#define mask_first LEVEL_NAME(mask_first)
#define mask_last LEVEL_NAME(mask_last)
#define mask_after LEVEL_NAME(mask_after)
#define mask_before LEVEL_NAME(mask_before)

#define WIDE (VEC / 4)
#define wide_test LEVEL_NAME(wide_test)
#define wide_mask LEVEL_NAME(wide_mask)
#define wide_fill LEVEL_NAME(wide_fill)
#define wide_min LEVEL_NAME(wide_min)
#define wide_equal LEVEL_NAME(wide_equal)
#define wide_unequal LEVEL_NAME(wide_unequal)
#define wide_null LEVEL_NAME(wide_null)
#define wide_test_or LEVEL_NAME(wide_test_or)
#define wide_test_any LEVEL_NAME(wide_test_any)
#define wide_mask_of LEVEL_NAME(wide_mask_of)
#define wide_mask_first LEVEL_NAME(wide_mask_first)
#define wide_mask_last LEVEL_NAME(wide_mask_last)
#define wide_mask_after LEVEL_NAME(wide_mask_after)

#endif
