/* setlocale that only asks, in a process of one thread: so no lock is needed. All else is musl's. Where categories differ, the names of
 * all are asked of musl once and kept with the maps that they are of. */

#include <locale.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
char *setlocale(int category, const char *name);
char *__brawn_musl_setlocale(int category, const char *name);
#pragma GCC visibility pop

/* musl's, whose sizes the overlay has checked. Maps stay for ever. */
struct locale_map {
    const void *map;
    size_t size;
    char name[24];
    const struct locale_map *next;
};
struct process {
    char can_do_threads, threaded, secure;
    /* 0 while there has only been one thread. */
    volatile signed char need_locks;
    int threads;
    void *unused[6];
    const struct locale_map *locale[LC_ALL];
};
_Static_assert(sizeof(struct process) == 104 && sizeof(struct locale_map) == 48, "as in functions.toml");

extern __attribute__((visibility("hidden"))) struct process __libc;

static char *all_names(void) {
    static const struct locale_map *known[LC_ALL];
    static char names[LC_ALL * 24];
    uintptr_t differs = 0;
    for (int i = 0; i < LC_ALL; i++) {
        differs |= (uintptr_t)known[i] ^ (uintptr_t)__libc.locale[i];
    }
    if (differs != 0) {
        const char *const answer = __brawn_musl_setlocale(LC_ALL, NULL);
        size_t i = 0;
        do {
            names[i] = answer[i];
        } while (answer[i++] != 0);
        for (int j = 0; j < LC_ALL; j++) {
            known[j] = __libc.locale[j];
        }
    }
    return names;
}

char *setlocale(int category, const char *name) {
    if (name != NULL || __libc.need_locks != 0 || (unsigned)category > LC_ALL) {
        return __brawn_musl_setlocale(category, name);
    }
    const struct locale_map *const map = __libc.locale[category % LC_ALL];
    if (category == LC_ALL) {
        uintptr_t differs = 0;
        for (int i = 1; i < LC_ALL; i++) {
            differs |= (uintptr_t)__libc.locale[i] ^ (uintptr_t)map;
        }
        if (differs != 0) {
            return all_names();
        }
    }
    return map != NULL ? (char *)map->name : "C";
}
