#include "words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *word;
    size_t count;
};

struct words {
    struct entry *slots;
    size_t size; /* a power of two, or 0 */
    size_t used;
};

struct words *words_new(void) {
    return calloc(1, sizeof(struct words));
}

void words_free(struct words *words) {
    if (words == NULL)
        return;
    for (size_t i = 0; i < words->size; i++)
        free(words->slots[i].word);
    free(words->slots);
    free(words);
}

static struct entry *slot(struct entry *slots, size_t size, const char *word, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)word[i]) * 1099511628211u;
    size_t at = hash & (size - 1);
    while (slots[at].word && (strncmp(slots[at].word, word, length) || slots[at].word[length]))
        at = (at + 1) & (size - 1);
    return &slots[at];
}

static int grow(struct words *words) {
    size_t size = words->size ? words->size * 2 : 64;
    struct entry *slots = calloc(size, sizeof *slots);
    if (slots == NULL)
        return -1;
    for (size_t i = 0; i < words->size; i++) {
        struct entry *entry = &words->slots[i];
        if (entry->word)
            *slot(slots, size, entry->word, strlen(entry->word)) = *entry;
    }
    free(words->slots);
    words->slots = slots;
    words->size = size;
    return 0;
}

static int count(struct words *words, const char *word, size_t length, size_t times) {
    if (words->used * 2 >= words->size && grow(words) != 0)
        return -1;
    struct entry *entry = slot(words->slots, words->size, word, length);
    if (entry->word == NULL) {
        entry->word = strndup(word, length);
        if (entry->word == NULL)
            return -1;
        words->used++;
    }
    entry->count += times;
    return 0;
}

int words_add(struct words *words, const char *text, size_t length) {
    const char *end = text + length;
    while (text < end) {
        const char *start = text;
        while (text < end && *text != ' ' && *text != '\n')
            text++;
        if (text > start && count(words, start, (size_t)(text - start), 1) != 0)
            return -1;
        text++;
    }
    return 0;
}

int words_merge(struct words *into, const struct words *from) {
    for (size_t i = 0; i < from->size; i++) {
        const struct entry *entry = &from->slots[i];
        if (entry->word && count(into, entry->word, strlen(entry->word), entry->count) != 0)
            return -1;
    }
    return 0;
}

char *words_take(struct words *words, size_t *times) {
    struct entry *best = NULL;
    for (size_t i = 0; i < words->size; i++) {
        struct entry *entry = &words->slots[i];
        if (entry->count == 0)
            continue;
        if (best == NULL || entry->count > best->count ||
            (entry->count == best->count && strcmp(entry->word, best->word) < 0))
            best = entry;
    }
    if (best == NULL)
        return NULL;
    *times = best->count;
    best->count = 0;
    return strdup(best->word);
}
