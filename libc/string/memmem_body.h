/* The two parts of memmem. */
#include "find.h"
#include "search.h"
