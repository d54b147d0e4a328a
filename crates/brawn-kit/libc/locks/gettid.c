/* gettid, so that musl's has a name for mutexes that no program can take. */
#include "locks.h"

PUBLIC int gettid(void);
PUBLIC int __brawn_musl_gettid(void);

int gettid(void) {
    return __brawn_musl_gettid();
}
