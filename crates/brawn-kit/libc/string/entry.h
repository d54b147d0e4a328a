/* For a file that has only an entry, whose long part is another object or other functions: binds the vec_*
 * names to the vectors that every CPU has. */
#include "brawn_string.h"
#include "vector.h"

#if defined(__aarch64__)
#define LEVEL_SUFFIX _neon
#else
#define LEVEL_SUFFIX _sse2
#endif
