/* The rows and checks of the str and wcs families. */
#include "test.h"

const struct row string_rows[] = {
    {0},
};
