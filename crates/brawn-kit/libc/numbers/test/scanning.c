/*
 * What scanf reads of numbers, from texts, files and pipes of every buffer, with widths and without: one line for each call,
 * to be compared between an executable with musl's __floatscan and one with the kit's.
 *
 * scanning COUNT FOLDER: so many texts made by chance, in files of this folder.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* A number, or something like one. */
static size_t number(char *to) {
    static const char *const others[] = {"inf", "-Infinity", "nan",   "nan(1)", "0x1.8p3", "-0X.8", "e5",
                                         ".",   "-",         "+.e1",  "abc",    "",        "infx",  "1e",
                                         "1e+", "2.5e-",     "1.2.3", "--1",    ".e",      "0x",    "1,5"};
    static const char *const spaces[] = {"", "", "", " ", "\t\n ", "\v\f\r  "};
    static const char *const signs[] = {"", "", "-", "+"};
    char *const begin = to;
    to = stpcpy(to, spaces[next() % 6]);
    if (next() % 8 == 0) {
        to = stpcpy(to, others[next() % (sizeof others / sizeof *others)]);
        return (size_t)(to - begin);
    }
    to = stpcpy(to, signs[next() % 4]);
    switch (next() % 7) {
    case 0:
        to += sprintf(to, "%llu", (unsigned long long)next() >> next() % 64);
        break;
    case 1:
        to += sprintf(to, "%.*f", (int)(next() % 30),
                      (double)(int64_t)(next() >> 12) / (double)(1l << next() % 50));
        break;
    case 2:
        to += sprintf(to, "%.*e", (int)(next() % 20), (double)(int64_t)next());
        break;
    case 3:
        to += sprintf(to, ".%u%c%d", (unsigned)next() % 1000, next() % 2 ? 'e' : 'E',
                      (int)(next() % 800) - 400);
        break;
    case 4:
        to += sprintf(to, "%u.", (unsigned)next() % 1000);
        break;
    case 5:
        to += sprintf(to, next() % 2 ? "%llu" : "%llu%u", (unsigned long long)next(), (unsigned)next() % 100);
        break;
    default:
        /* Borders, overflow, underflow and more digits than are counted. */
        to += sprintf(to, "%u%0*u%s", (unsigned)next() % 10, (int)(next() % 60), 1u,
                      next() % 2 ? "e-330" : "e290");
    }
    return (size_t)(to - begin);
}

static void from(FILE *file, const char *text) {
    static const char *const formats[] = {"%lf", "%f",  "%Lf",  "%5lf",    "%12f",    "%1lf",   "%d",
                                          "%i",  "%ld", "%hhd", "%3d",     "%lu",     "%x",     "%5lli",
                                          "%o",  "%jd", "%p",   "%*lf%lf", "%lf,%lf", "%le %lg"};
    enum { PAIRS = 17 };
    while (!feof(file) && !ferror(file)) {
        const unsigned kind = (unsigned)(next() % (PAIRS + 3));
        union {
            float single;
            double value;
            long double longer;
            unsigned char bytes[16];
        } one = {{0}}, two = {{0}};
        int at = -1;
        char format[32];
        snprintf(format, sizeof format, "%s%%n", formats[kind]);
        errno = 0;
        const int result =
            text != NULL ? sscanf(text, format, &one, &two, &at) : fscanf(file, format, &one, &two, &at);
        const int error = errno;
        /* Of a format with one number the second is %n's. */
        const int length = kind > PAIRS ? at : *(int *)&two;
        printf("%s: %d errno %d at %d", formats[kind], result, error, length);
        for (int i = 0; i < 10; i++) {
            printf(" %02x", one.bytes[i]);
        }
        if (kind > PAIRS) {
            printf(" %.17g", two.value);
        }
        if (text != NULL) {
            printf(" of '%s'\n", text);
            return;
        }
        printf(" %d %d %ld, then %d\n", feof(file) != 0, ferror(file) != 0, ftell(file), getc(file));
    }
}

int main(int argc, char **argv) {
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    char name[4096], text[4096];
    snprintf(name, sizeof name, "%s/numbers", argc > 2 ? argv[2] : ".");
    FILE *const none = fopen("/dev/null", "r");
    for (long i = 0; i < count; i++) {
        /* A text is read in parts of 256 bytes. */
        size_t size = next() % 8 ? 0 : next() % 300;
        memset(text, ' ', size);
        size += number(text + size);
        if (next() % 2) {
            size += (size_t)sprintf(text + size, "%c", ", x;e.0"[next() % 7]);
            size += number(text + size);
        }
        text[size] = 0;
        from(none, text);
        clearerr(none);
    }
    for (long i = 0; i < count / 100; i++) {
        FILE *file = fopen(name, "w+");
        if (!file) {
            return 2;
        }
        for (unsigned numbers = (unsigned)next() % 60; numbers; numbers--) {
            number(text);
            fprintf(file, "%s%c", text, " ,\n;"[next() % 4]);
        }
        if (next() % 2) {
            fputs("1.5", file);
        }
        rewind(file);
        static char buffer[4096];
        setvbuf(file, buffer, _IOFBF, 9 + next() % 60);
        from(file, NULL);
        fclose(file);
    }
    return ferror(stdout) != 0;
}
