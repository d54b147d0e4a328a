/* Counts the words of files, each in a thread of its own. */
#include <pthread.h>
#include <stdlib.h>

#include "words.h"

struct file {
    const char *name;
    struct word *words;
    size_t number;
    pthread_t thread;
};

static void *read_file(void *argument) {
    struct file *file = argument;
    FILE *stream = fopen(file->name, "r");
    if (!stream) {
        perror(file->name);
        exit(1);
    }
    file->words = read_words(stream, &file->number);
    fclose(stream);
    return NULL;
}

int main(int argc, char **argv) {
    struct file *files = calloc((size_t)argc, sizeof *files);
    for (int i = 1; i < argc; i++) {
        files[i].name = argv[i];
        if (pthread_create(&files[i].thread, NULL, read_file, &files[i])) {
            return 1;
        }
    }
    for (int i = 1; i < argc; i++) {
        pthread_join(files[i].thread, NULL);
        for (size_t word = 0; word < files[i].number; word++) {
            printf("%s %zu\n", files[i].words[word].text, files[i].words[word].count);
        }
        free_words(files[i].words, files[i].number);
    }
    free(files);
    return 0;
}
