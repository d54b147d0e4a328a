/* Copies and fills that are larger than what the last cache keeps of them: copy_past.c, set_past.c. */
#ifndef BRAWN_PAST_H
#define BRAWN_PAST_H

#include "brawn_string.h"
#include "past_of.h"

#if defined(__x86_64__)

/* So far above the target a source must begin that overlaps it: what is read next shall not be what is still on its way to
 * memory. */
#define PAST_DISTANCE ((size_t)4096)

#define past_from NAME(__brawn_past_from)
#define past_find NAME(__brawn_past_find)
#define copy_past NAME(__brawn_copy_past)
#define set_past NAME(__brawn_set_past)

/* From how many bytes on a copy goes there. A fill, which has no source that needs room, goes from 8/3 of it on: past two
 * thirds of the last cache, where a quarter of it is meant here. A library for glibc writes it. */
extern HIDDEN size_t past_from;

HIDDEN void past_find(void);
/* At least 128 bytes. */
HIDDEN void *copy_past(unsigned char *target, const unsigned char *source, size_t n, void *result);
HIDDEN void *set_past(unsigned char *target, uint32_t pattern, size_t n);

INLINE bool goes_past(size_t n) {
    return UNLIKELY(n >= __atomic_load_n(&past_from, __ATOMIC_RELAXED));
}

INLINE void know_past(void) {
    if (UNLIKELY(__atomic_load_n(&past_from, __ATOMIC_RELAXED) == PAST_UNKNOWN)) {
        past_find();
    }
}

#endif

#endif
