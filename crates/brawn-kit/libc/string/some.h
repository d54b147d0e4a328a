/* For entries: include it after entry.h. */
#ifndef BRAWN_SOME_H
#define BRAWN_SOME_H

/* Copies 16 to 64 bytes by four vectors that overlap, whatever the number. */
INLINE void copy_some(void *to, const void *from, size_t bytes) {
    char *const d = to;
    const char *const s = from;
    const size_t inner = bytes & 96 ? 16 : 0, last = bytes - 16;
    const vec a = vec_load(s), b = vec_load(s + inner), c = vec_load(s + last - inner),
              e = vec_load(s + last);
    /* Last to first, as few.h does. */
    vec_store(d + last, e);
    vec_store(d + last - inner, c);
    vec_store(d + inner, b);
    vec_store(d, a);
}

#endif
