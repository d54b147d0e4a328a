#include <stdio.h>

/* A word, and how often it stands in a text. */
struct word {
    char *text;
    size_t count;
};

/* The words of a stream, sorted. The caller frees them by free_words. */
struct word *read_words(FILE *stream, size_t *number);
void free_words(struct word *words, size_t number);
