// There is one heap: what libc allocates for the program is a block like any other, which the program
// measures, resizes, frees in another thread, and which libc in turn resizes and frees.
#include "check.h"
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <wchar.h>

enum { ROUNDS = 40 };

static char *from_strdup(void) {
    return strdup("a copy of a string");
}

static char *from_strndup(void) {
    return strndup("a copy of a part of a string", 20);
}

static char *from_wcsdup(void) {
    return (char *)wcsdup(L"a wide copy");
}

static char *from_asprintf(void) {
    char *text = NULL;
    CHECK(asprintf(&text, "%s %d", "formatted", 12345) > 0, "asprintf failed");
    return text;
}

static char *from_getline(void) {
    char *line = NULL;
    size_t capacity = 0;
    char source[] = "the first line\nthe second\n";
    FILE *stream = fmemopen(source, sizeof source - 1, "r");
    CHECK(stream != NULL && getline(&line, &capacity, stream) > 0, "getline failed");
    fclose(stream);
    return line;
}

static char *from_open_memstream(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    CHECK(stream != NULL, "open_memstream failed");
    for (int i = 0; i < 3000; i++)
        fputs("stream ", stream);
    fclose(stream);
    return text;
}

static char *from_realpath(void) {
    return realpath("/proc/../proc/./self/..", NULL);
}

static char *from_getcwd(void) {
    return getcwd(NULL, 0);
}

static char *from_scandir(void) {
    struct dirent **entries = NULL;
    int count = scandir("/", &entries, NULL, alphasort);
    CHECK(count > 0, "scandir failed");
    char *first = (char *)entries[0];
    for (int i = 1; i < count; i++)
        free(entries[i]);
    free(entries);
    return first;
}

static char *from_scanf(void) {
    char *word = NULL;
    CHECK(sscanf("word", "%ms", &word) == 1, "sscanf failed");
    return word;
}

static const struct {
    char *(*make)(void);
    const char *name;
} sources[] = {
    {from_strdup, "strdup"},       {from_strndup, "strndup"}, {from_wcsdup, "wcsdup"},
    {from_asprintf, "asprintf"},   {from_getline, "getline"}, {from_open_memstream, "open_memstream"},
    {from_realpath, "realpath"},   {from_getcwd, "getcwd"},   {from_scandir, "scandir"},
    {from_scanf, "sscanf with m"},
};
enum { SOURCES = sizeof sources / sizeof *sources };

static void use_as_own(char *block, const char *name) {
    CHECK(block != NULL, "%s gave NULL", name);
    size_t usable = malloc_usable_size(block);
    // A block of another heap would most likely measure as nonsense.
    CHECK(usable >= 5 && usable < 1024 * 1024, "%s gave a block of %zu usable bytes", name, usable);
    char copy[5];
    memcpy(copy, block, 5);
    block = realloc(block, usable + 10000);
    CHECK(block != NULL && memcmp(block, copy, 5) == 0, "the block of %s lost its content", name);
    CHECK(malloc_usable_size(block) >= usable + 10000, "the block of %s did not grow", name);
    memset(block, 1, usable + 10000);
    block = realloc(block, 8);
    CHECK(block != NULL && block[7] == 1, "the block of %s did not shrink", name);
    free(block);
}

static void *use_in_thread(void *argument) {
    char **blocks = argument;
    for (int i = 0; i < SOURCES; i++)
        use_as_own(blocks[i], sources[i].name);
    return NULL;
}

// The other direction: libc resizes and frees what the program has allocated.
static void handed_to_libc(void) {
    size_t capacity = 4;
    char *line = aligned_alloc(64, capacity);
    char source[3000];
    memset(source, 'x', sizeof source);
    FILE *stream = fmemopen(source, sizeof source, "r");
    CHECK(stream != NULL && line != NULL, "no stream");
    CHECK(getline(&line, &capacity, stream) == sizeof source, "getline did not resize an aligned block");
    CHECK(capacity > sizeof source && malloc_usable_size(line) >= capacity, "getline says %zu bytes",
          capacity);
    free(line);
    fclose(stream);
}

int main(int argc, char **argv) {
    int rounds = ROUNDS * scale_of(argc, argv);
    watchdog(60);
    for (int round = 0; round < rounds; round++) {
        watched_round = round;
        char *blocks[SOURCES];
        for (int i = 0; i < SOURCES; i++)
            use_as_own(sources[i].make(), sources[i].name);
        for (int i = 0; i < SOURCES; i++)
            blocks[i] = sources[i].make();
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, use_in_thread, blocks) == 0, "no thread");
        pthread_join(thread, NULL);
        handed_to_libc();
    }
    return passed();
}
