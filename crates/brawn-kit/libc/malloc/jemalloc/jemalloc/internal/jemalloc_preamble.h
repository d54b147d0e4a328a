/* jemalloc's own preamble needs nothing filled in but the name of the public header, which is beside this
 * folder under the name that the unfilled template asks for. */
#define JEMALLOC_NO_PRIVATE_NAMESPACE
#include "jemalloc/internal/jemalloc_preamble.h.in"
