/* What the objects of the sorting functions share. */
#ifndef BRAWN_SORT_H
#define BRAWN_SORT_H

#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))

typedef int (*compare_fn)(const void *, const void *, void *);

HIDDEN void __brawn_sort(void *base, size_t count, size_t size, compare_fn compare, void *argument);

#endif
