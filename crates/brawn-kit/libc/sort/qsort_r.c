/* qsort_r: core.c sorts. */
#include "sort.h"

/* The name of another symbol has to be a text, also where a test gives the functions other names. */
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

HIDDEN void __qsort_r(void *base, size_t count, size_t size, compare_fn compare, void *argument);
PUBLIC void qsort_r(void *base, size_t count, size_t size, compare_fn compare, void *argument)
    __attribute__((weak, alias(TEXT(__qsort_r))));

void __qsort_r(void *base, size_t count, size_t size, compare_fn compare, void *argument) {
    __brawn_sort(base, count, size, compare, argument);
}
