/*
 * Prints a greeting for each name, from memory that it allocates:
 *
 *     brawn cc -O2 -o hello hello.c
 *     ./hello World
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        char *greeting;
        if (asprintf(&greeting, "Hello, %s!", argv[i]) < 0) {
            perror("asprintf");
            return 1;
        }
        puts(greeting);
        free(greeting);
    }
    return 0;
}
