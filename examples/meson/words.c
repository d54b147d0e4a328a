#include "words.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *left, const void *right) {
    return strcmp(((const struct word *)left)->text, ((const struct word *)right)->text);
}

static void *or_die(void *block) {
    if (!block) {
        perror("words");
        exit(1);
    }
    return block;
}

struct word *read_words(FILE *stream, size_t *number) {
    struct word *words = NULL;
    size_t used = 0, room = 0;
    char text[256];
    while (fscanf(stream, "%255s", text) == 1) {
        if (used == room) {
            room = room ? 2 * room : 16;
            words = or_die(realloc(words, room * sizeof *words));
        }
        size_t length = strlen(text) + 1;
        words[used].text = memcpy(or_die(malloc(length)), text, length);
        words[used++].count = 1;
    }
    if (used) {
        qsort(words, used, sizeof *words, by_text);
    }
    size_t kept = 0;
    for (size_t i = 0; i < used; i++) {
        if (kept && strcmp(words[kept - 1].text, words[i].text) == 0) {
            words[kept - 1].count++;
            free(words[i].text);
        } else {
            words[kept++] = words[i];
        }
    }
    *number = kept;
    return words;
}

void free_words(struct word *words, size_t number) {
    for (size_t i = 0; i < number; i++) {
        free(words[i].text);
    }
    free(words);
}
