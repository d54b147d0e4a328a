/* Says what the most frequent word of each argument is. Rust finds it, and C frees it. */
#include <stdio.h>
#include <stdlib.h>

char *most_frequent(const char *text);

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        char *word = most_frequent(argv[i]);
        puts(word ? word : "(no word)");
        free(word);
    }
    return 0;
}
