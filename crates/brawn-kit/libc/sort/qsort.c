/* qsort: core.c sorts. */
#include "sort.h"

PUBLIC void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    /* Called with a third argument, which is in a register that the function does not look at: so it is in the
     * calling conventions of both architectures, and there is no call between. */
    __brawn_sort(base, count, size, (compare_fn)(void (*)(void))compare, NULL);
}
