/* strcpy_to.c and strncpy_to.c. */
#ifndef BRAWN_STRCPY_TO_H
#define BRAWN_STRCPY_TO_H

#include "brawn_string.h"

/* Copies a string. Returns `result` or, where that is a null pointer, the end of the copy. */
HIDDEN char *NAME(__brawn_strcpy_to)(char *d, const char *restrict s, char *result);

/* The same with at most n bytes of it, and all n bytes are written. */
HIDDEN char *NAME(__brawn_strncpy_to)(char *d, const char *restrict s, size_t n, char *result);

/* Nulls from d to end, and the same answer. */
HIDDEN char *NAME(__brawn_strncpy_fill)(char *d, char *end, char *result);

#endif
