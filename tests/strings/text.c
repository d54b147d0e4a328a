// What libc does with its own string functions: the printf and scanf families, sorting, streams, locale,
// environment, names of hosts and services, patterns, time, conversion, threads and fork. Everything is
// printed, so that two libraries can be compared to the byte; lengths grow from nothing to where long work
// begins.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fnmatch.h>
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

// FNV-1a, so that long results fit on a line.
static uint64_t digest(const void *data, size_t size) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    }
    return hash;
}

static uint64_t state = 88172645463325252u;

static uint64_t random_number(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static const size_t lengths[] = {0,  1,  2,  7,   8,   15,  16,  17,   31,   33,
                                 63, 64, 65, 127, 129, 255, 257, 1000, 4100, 70000};
#define EACH_LENGTH(n)                                                                                       \
    for (size_t at = 0, n; at < sizeof lengths / sizeof *lengths && (n = lengths[at], 1); at++)

static char *text_of(size_t length) {
    char *text = malloc(length + 1);
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)('!' + (i * 7 + length) % 90);
    }
    text[length] = '\0';
    return text;
}

static void formats(void) {
    EACH_LENGTH(n) {
        char *text = text_of(n), *made = NULL;
        int written = asprintf(&made, "[%s|%.*s|%*d|%-*x|%08.3f]", text, (int)(n / 2), text, (int)(n % 200),
                               -42, (int)(n % 77), 48879u, (double)n / 7);
        printf("asprintf %zu: %d %016llx\n", n, written, (unsigned long long)digest(made, (size_t)written));
        char *small = malloc(n + 1);
        int wanted = snprintf(small, n + 1, "%s%s", text, text);
        printf("snprintf %zu: %d %zu %d\n", n, wanted, strlen(small), memcmp(small, text, n));
        wchar_t *wide = malloc((n + 64) * sizeof *wide);
        int characters = swprintf(wide, n + 64, L"%s %ls %d", text, L"wide \u00e4\u20ac", (int)n);
        printf("swprintf: %d %016llx\n", characters,
               (unsigned long long)(characters < 0 ? 0 : digest(wide, (size_t)characters * sizeof *wide)));
        char word[64] = "";
        int number = 0, end = -1;
        char *line = NULL;
        asprintf(&line, "%s\t %zu  tail%s", "key", n, text);
        int fields = sscanf(line, " %63[a-z] %d %*3c%n", word, &number, &end);
        printf("sscanf: %d '%s' %d %d\n", fields, word, number, end);
        free(line), free(wide), free(small), free(made), free(text);
    }
    printf("%a %g %.17g %Lf %e %s %p\n", 1.0 / 3, 1e-300, 0.1, 1.25L, 6.02214076e23, (char *)NULL, (void *)0);
    printf("%d %.15g %.15g\n", (int)strtol("  -0x7fz", NULL, 0), strtod("1.79e300", NULL),
           strtod("0x1.8p3", NULL));
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}
static int by_bytes(const void *a, const void *b) {
    return memcmp(a, b, 4);
}

static void sorting(void) {
    enum { COUNT = 3000 };
    static char *names[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        asprintf(&names[i], "%llx", (unsigned long long)(random_number() >> (random_number() % 60)));
    }
    qsort(names, COUNT, sizeof *names, by_name);
    uint64_t all = 0;
    for (size_t i = 0; i < COUNT; i++) {
        all = all * 31 + digest(names[i], strlen(names[i]));
    }
    char **found = bsearch(&names[77], names, COUNT, sizeof *names, by_name);
    printf("qsort %016llx, %s\n", (unsigned long long)all, found ? *found : "nothing");
    // Elements of odd sizes are moved by memcpy inside qsort.
    for (size_t size = 4; size < 400; size += 61) {
        unsigned char *block = malloc(500 * size);
        for (size_t i = 0; i < 500 * size; i++) {
            block[i] = (unsigned char)random_number();
        }
        qsort(block, 500, size, by_bytes);
        printf("qsort of %zu bytes: %016llx\n", size, (unsigned long long)digest(block, 500 * size));
        free(block);
    }
    hcreate(100);
    for (size_t i = 0; i < 50; i++) {
        hsearch((ENTRY){.key = names[i], .data = names[i]}, ENTER);
    }
    ENTRY *entry = hsearch((ENTRY){.key = names[20], .data = NULL}, FIND);
    printf("hsearch %s\n", entry ? (char *)entry->data : "nothing");
}

static void streams(void) {
    FILE *file = tmpfile();
    EACH_LENGTH(n) {
        char *text = text_of(n);
        fprintf(file, "%s\n", text);
        fwrite(text, 1, n, file);
        fputc('\n', file);
        free(text);
    }
    rewind(file);
    char *line = NULL;
    size_t capacity = 0, lines = 0;
    uint64_t all = 0;
    for (ssize_t size; (size = getline(&line, &capacity, file)) >= 0; lines++) {
        all = all * 31 + digest(line, (size_t)size);
    }
    printf("streams: %zu lines %016llx, at %ld\n", lines, (unsigned long long)all, ftell(file));
    char piece[100];
    rewind(file);
    while (fgets(piece, sizeof piece, file)) {
        all = all * 31 + strlen(piece);
    }
    printf("fgets %016llx\n", (unsigned long long)all);
    free(line), fclose(file);
    char *memory = NULL;
    size_t size = 0;
    file = open_memstream(&memory, &size);
    for (int i = 0; i < 3000; i++) {
        fprintf(file, "%d,", i);
    }
    fclose(file);
    printf("open_memstream %zu %016llx\n", size, (unsigned long long)digest(memory, size));
    free(memory);
}

static void environment(void) {
    char name[32], *value = text_of(900);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "VARIABLE_%d", i);
        setenv(name, value + i, 1);
    }
    for (int i = 0; i < 300; i += 7) {
        snprintf(name, sizeof name, "VARIABLE_%d", i);
        unsetenv(name);
    }
    size_t total = 0;
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "VARIABLE_%d", i);
        const char *found = getenv(name);
        total += found ? strlen(found) : 0;
    }
    printf("environment %zu\n", total);
    clearenv();
    free(value);
}

static void names(void) {
    static const char *const hosts[] = {"127.0.0.1", "::1", "2001:db8::7", "300.1.2.3", "192.168.1"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM},
                        *list = NULL;
        int error = getaddrinfo(hosts[i], "8080", &hints, &list);
        char host[INET6_ADDRSTRLEN] = "", port[8] = "";
        if (!error) {
            getnameinfo(list->ai_addr, list->ai_addrlen, host, sizeof host, port, sizeof port,
                        NI_NUMERICHOST | NI_NUMERICSERV);
            freeaddrinfo(list);
        }
        printf("getaddrinfo %s: %s %s %s\n", hosts[i], error ? gai_strerror(error) : "found", host, port);
    }
    printf("%s; %s; %s\n", strerror(ENOENT), strsignal(11), strerror(12345));
}

static void patterns(void) {
    static const char *const expressions[] = {"^([a-z]+)=(.*)$", "(a|ab)(c|bcd)(d*)", "x{2,5}",
                                              "[[:digit:]]+$", "("};
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        regex_t regex;
        int error = regcomp(&regex, expressions[i], REG_EXTENDED);
        regmatch_t match[4];
        printf("regcomp %s: %d", expressions[i], error);
        if (!error) {
            static const char *const inputs[] = {"key=value of some length that goes on for a while", "abcd",
                                                 "xxxx", "a 42"};
            for (size_t j = 0; j < 4; j++) {
                int found = regexec(&regex, inputs[j], 4, match, 0);
                printf(" %d", found ? -1 : (int)match[0].rm_eo);
            }
            regfree(&regex);
        }
        printf("\n");
    }
    printf("fnmatch %d %d %d\n", fnmatch("*.[ch]", "text.c", 0), fnmatch("a*b?c", "axxxbyc", 0),
           fnmatch("*/x", "a/b/x", FNM_PATHNAME));
    char list[] = "one, two,,three ;four", *rest = list, *word;
    while ((word = strsep(&rest, ",;"))) {
        printf("<%s>", word);
    }
    char again[] = "  a b   c ", *place = NULL;
    for (word = strtok_r(again, " ", &place); word; word = strtok_r(NULL, " ", &place)) {
        printf("(%s)", word);
    }
    printf(" %zu %zu %s\n", strspn("aabbcz", "abc"), strcspn("hello, world", " ,"),
           strpbrk("key:value", ":="));
}

static void wide(void) {
    printf("setlocale %s %s\n", setlocale(LC_ALL, "C.UTF-8"), nl_langinfo(CODESET));
    EACH_LENGTH(n) {
        char *bytes = malloc(3 * n + 1), *back = malloc(4 * n + 1);
        wchar_t *characters = malloc((n + 1) * sizeof *characters);
        for (size_t i = 0; i < n; i++) {
            memcpy(bytes + 3 * i, "\xe2\x82\xac", 3);
        }
        bytes[3 * n] = '\0';
        size_t count = mbstowcs(characters, bytes, n + 1), size = wcstombs(back, characters, 4 * n + 1);
        printf("mbstowcs %zu %zu %d %zu\n", count, size, strcmp(back, bytes), wcslen(characters));
        free(characters), free(back), free(bytes);
    }
    iconv_t converter = iconv_open("UTF-16LE", "UTF-8");
    char input[] = "gr\xc3\xbc\xc3\x9f e\xe2\x82\xac", output[64], *from = input, *to = output;
    size_t left = sizeof input - 1, room = sizeof output;
    size_t converted = iconv(converter, &from, &left, &to, &room);
    printf("iconv %zu %016llx\n", converted, (unsigned long long)digest(output, sizeof output - room));
    iconv_close(converter);
    printf("%d %d %d\n", wcscmp(L"a\x7ffffff0", L"a\x10") < 0, wcscoll(L"a", L"b") < 0, iswalpha(L'\u00e4'));
}

static void calendar(void) {
    struct tm time = {.tm_year = 126, .tm_mon = 10, .tm_mday = 21, .tm_hour = 13, .tm_min = 46};
    char text[200];
    time_t seconds = timegm(&time);
    strftime(text, sizeof text, "%A %d %B %Y %H:%M:%S %j %U %s", &time);
    struct tm read = {0};
    const char *end = strptime("2024-02-29 23:59:58", "%Y-%m-%d %H:%M:%S", &read);
    printf("%lld %s %s %d\n", (long long)seconds, text, end && !*end ? "read" : "not read", read.tm_yday);
}

static void *worker(void *argument) {
    const size_t length = (size_t)(uintptr_t)argument;
    char *text = text_of(length), *copy = strdup(text), *joined = malloc(2 * length + 1);
    strcat(strcpy(joined, text), copy);
    const uint64_t result = digest(joined, 2 * length) ^ (uint64_t)strcmp(text, copy);
    free(joined), free(copy), free(text);
    return (void *)(uintptr_t)result;
}

static void processes(void) {
    // More threads than one: the first long call of each races to look at the processor.
    pthread_t threads[16];
    for (size_t i = 0; i < 16; i++) {
        pthread_create(&threads[i], NULL, worker, (void *)(uintptr_t)(i * i * 37));
    }
    uint64_t all = 0;
    for (size_t i = 0; i < 16; i++) {
        void *result;
        pthread_join(threads[i], &result);
        all = all * 31 + (uint64_t)(uintptr_t)result;
    }
    printf("threads %016llx\n", (unsigned long long)all);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char *text = text_of(5000);
        printf("child %016llx\n", (unsigned long long)digest(text, strlen(text)));
        fflush(stdout);
        _exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    printf("status %d\n", WEXITSTATUS(status));
}

int main(void) {
    formats();
    sorting();
    streams();
    environment();
    names();
    patterns();
    wide();
    calendar();
    processes();
    return 0;
}
