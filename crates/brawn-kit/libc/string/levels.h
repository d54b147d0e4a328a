/* Compiles the long part of a function once per level. The function's file says
 *
 *     #define BRAWN_BODY "memchr.c"
 *     #include "levels.h"
 *
 * and is included again for every level, with BRAWN_PASS defined, the vec_* and wide_* names of vector.h
 * bound to that level, and LEVEL_NAME(f) naming the level's variant of f. */

#include "brawn_string.h"
#include "vector.h"

#define BRAWN_PASS 1

#if defined(__aarch64__)

#define LEVEL_SUFFIX _neon
#include BRAWN_BODY
#undef LEVEL_SUFFIX

#else

/* A body whose entry shares helpers with its long part needs them for the baseline too: HELPERS_ONLY. */
#if !defined(BRAWN_LEVEL) || BRAWN_LEVEL == LEVEL_BASELINE || defined(ENTRY_SHARES_HELPERS) ||               \
    defined(BASELINE_ONLY)
#if defined(BRAWN_LEVEL) && BRAWN_LEVEL != LEVEL_BASELINE && !defined(BASELINE_ONLY)
#define HELPERS_ONLY
#endif
#define LEVEL_SUFFIX _sse2
#include BRAWN_BODY
#undef LEVEL_SUFFIX
#undef HELPERS_ONLY
#endif

#ifndef BASELINE_ONLY

#if !defined(BRAWN_LEVEL) || BRAWN_LEVEL == LEVEL_AVX2 ||                                                    \
    (BRAWN_LEVEL == LEVEL_AVX512 && defined(WITHOUT_AVX512))
#define LEVEL_SUFFIX _avx2
TARGET_PUSH(AVX2_FEATURES)
#include BRAWN_BODY
TARGET_POP
#undef LEVEL_SUFFIX
#endif

#if (!defined(BRAWN_LEVEL) || BRAWN_LEVEL == LEVEL_AVX512) && !defined(WITHOUT_AVX512)
#define LEVEL_SUFFIX _avx512
TARGET_PUSH(AVX512_FEATURES)
#include BRAWN_BODY
TARGET_POP
#undef LEVEL_SUFFIX
#endif

#endif

#endif

#undef BRAWN_PASS

/* The entry of a function uses the 16-byte vectors that every CPU has, at every level: it is for small sizes.
 */
#if defined(__aarch64__)
#define LEVEL_SUFFIX _neon
#else
#define LEVEL_SUFFIX _sse2
#endif
