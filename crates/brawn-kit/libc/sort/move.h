/* Elements swapped: 4, 8 and 16 bytes as one word, others by overlapping words, none with a wanted alignment. */
#ifndef BRAWN_SORT_MOVE_H
#define BRAWN_SORT_MOVE_H

#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

typedef struct {
    uint64_t low, high;
} word16;

#define SWAP_AS(type, at)                                                                                    \
    do {                                                                                                     \
        type x_, y_;                                                                                         \
        __builtin_memcpy(&x_, a + (at), sizeof(type));                                                       \
        __builtin_memcpy(&y_, b + (at), sizeof(type));                                                       \
        __builtin_memcpy(a + (at), &y_, sizeof(type));                                                       \
        __builtin_memcpy(b + (at), &x_, sizeof(type));                                                       \
    } while (0)

/* Both ends are read before the first is written, so the last word may overlap the one before it. */
#define SWAP_WORDS(type)                                                                                     \
    do {                                                                                                     \
        type last_a, last_b;                                                                                 \
        size_t last = size - sizeof(type);                                                                   \
        __builtin_memcpy(&last_a, a + last, sizeof(type));                                                   \
        __builtin_memcpy(&last_b, b + last, sizeof(type));                                                   \
        for (size_t i = 0; i < last; i += sizeof(type))                                                      \
            SWAP_AS(type, i);                                                                                \
        __builtin_memcpy(a + last, &last_b, sizeof(type));                                                   \
        __builtin_memcpy(b + last, &last_a, sizeof(type));                                                   \
    } while (0)

/* a and b are the same element, or do not overlap. */
INLINE void swap(char *a, char *b, size_t size) {
    if (size == 8)
        SWAP_AS(uint64_t, 0);
    else if (size == 4)
        SWAP_AS(uint32_t, 0);
    else if (size == 16)
        SWAP_AS(word16, 0);
    else if (size > 16)
        SWAP_WORDS(word16);
    else if (size > 8)
        SWAP_WORDS(uint64_t);
    else if (size > 4)
        SWAP_WORDS(uint32_t);
    else
        for (size_t i = 0; i < size; i++)
            SWAP_AS(char, i);
}

#endif
