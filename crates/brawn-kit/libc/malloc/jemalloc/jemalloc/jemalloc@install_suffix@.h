/* The public header, for the one translation unit that jemalloc is here. The odd name is the one that the
 * template of jemalloc's preamble asks for. */
#include "jemalloc/jemalloc.h"
