/* ASCII letters to lower case, every other byte as it is: what musl's strcasecmp compares, in every locale.
 * vec_fold_xor of vector.h does the same for vectors. */
#ifndef BRAWN_FOLD_H
#define BRAWN_FOLD_H

INLINE unsigned ascii_fold(unsigned byte) {
    return byte - 'A' < 26 ? byte | 0x20 : byte;
}

#endif
