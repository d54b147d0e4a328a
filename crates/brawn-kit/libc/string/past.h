/* Copies and fills that are larger than what the last cache keeps of them: copy_past.c, copy_turn.c, set_past.c. */
#ifndef BRAWN_PAST_H
#define BRAWN_PAST_H

#include "brawn_string.h"
#include "past_of.h"

#if defined(__x86_64__)

/* So far above the target a source must begin that overlaps it: what is read next shall not be what is still on its way to
 * memory. It is a page at least: where pages are copied in turn, what the second one takes has been read for the first. */
#define PAST_DISTANCE ((size_t)4096)

#define past_from NAME(__brawn_past_from)
#define past_leaf NAME(__brawn_past_leaf)
#define past_find NAME(__brawn_past_find)
#define copy_past NAME(__brawn_copy_past)
#define copy_turn NAME(__brawn_copy_turn)
#define set_past NAME(__brawn_set_past)

/* From how many bytes on a copy goes there. A fill, which has no source that needs room, goes from 8/3 of it on: past two
 * thirds of the last cache, where a quarter of it is meant here. A library for glibc writes it. */
extern HIDDEN size_t past_from;
/* The leaf of cpuid that names the caches, its lowest byte: Intel's or AMD's. 0 until somebody has looked. */
#define PAST_INTEL 4
extern HIDDEN unsigned char past_leaf;

/* Finds both, and keeps a size that the program has given. */
HIDDEN void past_find(void);
/* At least 128 bytes. */
HIDDEN void *copy_past(unsigned char *target, const unsigned char *source, size_t n, void *result);
/* The same of at least 192 bytes, where there is AVX2: several pages at a time, where that is faster. */
HIDDEN void *copy_turn(unsigned char *target, const unsigned char *source, size_t n, void *result);
HIDDEN void *set_past(unsigned char *target, uint32_t pattern, size_t n);

INLINE bool goes_past(size_t n) {
    return UNLIKELY(n >= __atomic_load_n(&past_from, __ATOMIC_RELAXED));
}

/* At the end of a copy or fill. */
INLINE void know_past(void) {
    if (UNLIKELY(__atomic_load_n(&past_leaf, __ATOMIC_RELAXED) == 0)) {
        past_find();
    }
}

#endif

#endif
