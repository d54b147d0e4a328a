/* The rows of the str and wcs families. */
#include "bench.h"

const struct row string_rows[] = {
    {0},
};
