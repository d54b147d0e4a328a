/* Whether `rep movsb` and `rep stosb` are worth using for long blocks (ERMS). */
#ifndef BRAWN_FAST_REP_H
#define BRAWN_FAST_REP_H

#include "brawn_string.h"

#if defined(__x86_64__)
#ifdef BRAWN_LEVEL
#define HAS_FAST_REP true /* every CPU with AVX2 but the first Zens; those lose little from 64 KiB on */
#else
#define HAS_FAST_REP (__atomic_load_n(&NAME(__brawn_string_rep), __ATOMIC_RELAXED) != 0)
extern HIDDEN unsigned char NAME(__brawn_string_rep);
#endif
#endif

#endif
