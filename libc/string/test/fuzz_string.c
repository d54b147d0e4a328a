/* What the fuzzer does with the str and wcs families. */
#include "fuzz.h"

const struct action string_actions[] = {
    {0},
};
