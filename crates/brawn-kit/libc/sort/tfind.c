/*
 * tfind. The way down is chosen by a branch, not by an address that waits for the answer: then the processor reads on, and
 * compares with the next node while it still compares with this one.
 */

#include <stddef.h>

#define PUBLIC __attribute__((visibility("default")))

typedef int compare(const void *key, const void *element);

PUBLIC void *tfind(const void *key, void *const *root, compare *compare);

/* musl's. */
struct node {
    const void *key;
    struct node *lesser, *greater;
    int height;
};

void *tfind(const void *key, void *const *root, compare *compare) {
    if (!root) {
        return NULL;
    }
    const struct node *node = *root;
    while (node) {
        const int order = compare(key, node->key);
        if (!order) {
            break;
        }
        if (order < 0) {
            node = node->lesser;
            /* Two ways, so that the compiler does not make one of them. */
            __asm__ volatile("");
        } else {
            node = node->greater;
        }
    }
    return (void *)node;
}
