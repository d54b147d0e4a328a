#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order(const void *one, const void *other) {
    return *(const int *)one - *(const int *)other;
}

// `first` says of each function whether it begins with a jump: what it does when it is grafted.
#define FIRST(function) printf("%s %s\n", #function, *(unsigned char *)&function == 0xe9 ? "jump" : "own")

int main(int count, char **args) {
    if (count > 1 && !strcmp(args[1], "first")) {
        FIRST(memcpy);
        FIRST(strlen);
        FIRST(qsort);
        FIRST(strtol);
        FIRST(vsnprintf);
        return 0;
    }
    unsigned state = 1;
    for (size_t size = 1; size < 100000; size = size * 3 + 1) {
        char *from = malloc(size + 1), *to = malloc(size + 1);
        for (size_t at = 0; at < size; at++) {
            from[at] = (char)('a' + (state = state * 1103515245 + 12345) % 20);
        }
        from[size] = 0;
        memcpy(to, from, size + 1);
        memmove(to + 1, to, size - 1);
        char *again = strdup(to);
        printf("%zu %d %d %zu\n", strlen(to), memcmp(from, to, size) > 0, strcmp(again, to),
               (size_t)((char *)memchr(from, 0, size + 1) - from));
        free(from), free(to), free(again);
    }
    int numbers[1000];
    for (int at = 0; at < 1000; at++) {
        numbers[at] = at * 7919 % 1000;
    }
    qsort(numbers, 1000, sizeof *numbers, order);
    char text[64];
    // musl's own takes what is rare, from behind the new one.
    printf("%d %d %g %a %g\n", numbers[0], numbers[999], strtod("3.25e-7", 0), strtod("0x1.8p3", 0),
           strtod("nan(7)", 0));
    printf("%f %f %ld %s\n", pow(2.5, 3.5), pow(-1e300, 1e300), strtol("-77", 0, 10),
           getenv("HOME") ? "home" : "none");
    printf("%d %s\n", snprintf(text, sizeof text, "%5d|%-8s|%.17g|%ls", 42, "ab", 0.1, L"wide"), text);
    return 0;
}
