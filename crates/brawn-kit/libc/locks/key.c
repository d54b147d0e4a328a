/*
 * pthread_key_create and pthread_key_delete. musl's delete blocks all signals and walks all threads. With one thread, a key
 * that is deleted is only kept, with its value taken away, for the next one with the same destructor; musl still counts it
 * among those that exist. With more threads, and when no key is left, all is musl's.
 */

#include "locks.h"
#include <stddef.h>

typedef unsigned pthread_key_type;
typedef void destructor(void *value);

PUBLIC int __pthread_key_create(pthread_key_type *key, destructor *destructor);
PUBLIC int __pthread_key_delete(pthread_key_type key);
PUBLIC int pthread_setspecific(pthread_key_type key, const void *value);
PUBLIC int __brawn_musl___pthread_key_create(pthread_key_type *key, destructor *destructor);
PUBLIC int __brawn_musl___pthread_key_delete(pthread_key_type key);

enum { KEYS = 128, WORDS = KEYS / 64 };

static destructor *destructors[KEYS];
/* A bit for each key. Set and used with one thread only; with more it can only be emptied. */
static uint64_t kept[WORDS];

/* Deletes the keys that are kept. Whether there was any. */
static int empty(void) {
    int some = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        for (uint64_t bits = __atomic_exchange_n(&kept[i], 0, __ATOMIC_RELAXED); bits; bits &= bits - 1) {
            __brawn_musl___pthread_key_delete(64 * i + (unsigned)__builtin_ctzll(bits));
            some = 1;
        }
    }
    return some;
}

int __pthread_key_create(pthread_key_type *key, destructor *destructor) {
    if (one_thread()) {
        for (unsigned i = 0; i < WORDS; i++) {
            for (uint64_t bits = kept[i]; bits; bits &= bits - 1) {
                const unsigned found = 64 * i + (unsigned)__builtin_ctzll(bits);
                if (destructors[found] == destructor) {
                    kept[i] &= ~(bits & -bits);
                    *key = found;
                    return 0;
                }
            }
        }
    }
    int error = __brawn_musl___pthread_key_create(key, destructor);
    if (unlikely(error) && empty()) {
        error = __brawn_musl___pthread_key_create(key, destructor);
    }
    if (!error && *key < KEYS) {
        destructors[*key] = destructor;
    }
    return error;
}

int __pthread_key_delete(pthread_key_type key) {
    if (!one_thread() || key >= KEYS) {
        return __brawn_musl___pthread_key_delete(key);
    }
    pthread_setspecific(key, NULL);
    kept[key / 64] |= (uint64_t)1 << key % 64;
    return 0;
}

WEAK_ALIAS(__pthread_key_create, pthread_key_create);
WEAK_ALIAS(__pthread_key_delete, pthread_key_delete);
