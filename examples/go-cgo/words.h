#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>

/* A table of words and how often each was added, in memory of the C heap. */
struct words;

struct words *words_new(void);
void words_free(struct words *words);

/* Counts the words of a text, which are divided by blanks. Returns 0, or -1 without memory. */
int words_add(struct words *words, const char *text, size_t length);

/* Puts the counts of `from` into `into`. Returns 0, or -1 without memory. */
int words_merge(struct words *into, const struct words *from);

/* The most frequent word that was not taken yet, the first in the alphabet among equals; NULL when all are
 * taken. The text is the caller's to free. */
char *words_take(struct words *words, size_t *count);

#endif
