// stdio's own memory: getline, getdelim, asprintf, memory streams, fopencookie, setvbuf, and FILE objects
// that one thread opens and another closes.
#include "check.h"
#include <pthread.h>
#include <wchar.h>

enum { LINES = 2000, ROUNDS = 20, THREADS = 4 };

static void lines(void) {
    FILE *file = fopen("lines", "w+");
    CHECK(file != NULL, "cannot create the file");
    for (size_t i = 0; i < LINES; i++) {
        for (size_t j = 0; j < i * i % 3001; j++)
            putc('a' + (int)(i % 26), file);
        putc('\n', file);
    }
    rewind(file);
    char *line = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < LINES; i++) {
        ssize_t length = getline(&line, &capacity, file);
        CHECK(length == (ssize_t)(i * i % 3001 + 1), "line %zu has the length %zd", i, length);
        CHECK(capacity > (size_t)length, "line %zu does not fit into its %zu bytes", i, capacity);
        CHECK(line[length] == '\0' && line[length - 1] == '\n', "line %zu has no end", i);
        if (i % 100 == 50) { // getline takes any block that came from malloc
            free(line);
            capacity = 3;
            line = malloc(capacity);
        }
    }
    CHECK(getline(&line, &capacity, file) == -1 && feof(file), "there is a line too many");
    rewind(file);
    CHECK(getdelim(&line, &capacity, 'b', file) > 1, "getdelim failed");
    free(line);
    CHECK(fclose(file) == 0, "fclose failed");
}

static void formatted(void) {
    for (int width = 0; width < 200000; width = width * 3 + 1) {
        char *text = NULL;
        int length = asprintf(&text, "%*d|%s", width, 42, "tail");
        CHECK(length == (width > 2 ? width : 2) + 5, "asprintf answers %d for width %d", length, width);
        CHECK(strlen(text) == (size_t)length && strcmp(text + length - 7, "42|tail") == 0,
              "asprintf gave other text");
        free(text);
    }
}

static void memory_streams(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    CHECK(stream != NULL, "open_memstream failed");
    for (int i = 0; i < 20000; i++)
        fprintf(stream, "%04d\n", i % 10000);
    CHECK(fflush(stream) == 0 && size == 100000, "the stream has %zu bytes", size);
    CHECK(memcmp(text + 5 * 1234, "1234\n", 5) == 0, "the text is damaged");
    CHECK(fseek(stream, 200000, SEEK_SET) == 0 && fputs("end", stream) >= 0, "cannot write beyond the end");
    CHECK(fclose(stream) == 0 && size == 200003, "the stream has %zu bytes", size);
    CHECK(all_zero(text + 100000, 100000), "the gap is not zero");
    text = realloc(text, 10);
    CHECK(text != NULL && memcmp(text, "0000\n0001\n", 10) == 0, "the block cannot be resized");
    free(text);

    wchar_t *wide = NULL;
    stream = open_wmemstream(&wide, &size);
    CHECK(stream != NULL, "open_wmemstream failed");
    for (int i = 0; i < 3000; i++)
        CHECK(fputwc(L'a' + i % 26, stream) != WEOF, "fputwc failed");
    CHECK(fclose(stream) == 0 && size == 3000 && wide[27] == L'b', "the wide stream has %zu characters",
          size);
    free(wide);

    stream = fmemopen(NULL, 5000, "w+");
    CHECK(stream != NULL, "fmemopen failed");
    fputs("one two", stream);
    rewind(stream);
    char word[8];
    CHECK(fscanf(stream, "%7s", word) == 1 && strcmp(word, "one") == 0, "fmemopen gave \"%s\"", word);
    CHECK(fclose(stream) == 0, "fclose failed");

    char *scanned = NULL;
    CHECK(sscanf("key=a-value-that-scanf-allocates", "key=%ms", &scanned) == 1, "%%ms failed");
    CHECK(strcmp(scanned, "a-value-that-scanf-allocates") == 0, "%%ms gave \"%s\"", scanned);
    free(scanned);
}

static ssize_t count_bytes(void *cookie, const char *bytes, size_t size) {
    (void)bytes;
    *(size_t *)cookie += size;
    return (ssize_t)size;
}

static void cookies_and_buffers(void) {
    size_t *count = calloc(1, sizeof *count);
    FILE *stream = fopencookie(count, "w", (cookie_io_functions_t){.write = count_bytes});
    CHECK(stream != NULL, "fopencookie failed");
    for (int i = 0; i < 1000; i++)
        fputs("0123456789", stream);
    fclose(stream);
    CHECK(*count == 10000, "the cookie got %zu bytes", *count);
    free(count);

    static const struct {
        int mode;
        size_t size;
    } buffers[] = {{_IOFBF, 100000}, {_IOFBF, 16}, {_IOLBF, 500}, {_IONBF, 0}};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        FILE *file = fopen("buffered", "w+");
        char *buffer = buffers[i].size > 0 ? malloc(buffers[i].size) : NULL;
        CHECK(file != NULL, "cannot create the file");
        CHECK(setvbuf(file, buffer, buffers[i].mode, buffers[i].size) == 0, "setvbuf failed");
        for (int n = 0; n < 500; n++)
            fprintf(file, "%d\n", n);
        rewind(file);
        for (int n = 0; n < 500; n++) {
            int value = -1;
            CHECK(fscanf(file, "%d", &value) == 1 && value == n, "line %d holds %d", n, value);
        }
        CHECK(fclose(file) == 0, "fclose failed");
        free(buffer);
    }
    unlink("buffered");
}

static void *open_files(void *unused) {
    (void)unused;
    FILE **files = malloc(20 * sizeof *files);
    CHECK(files != NULL, "no memory");
    for (int i = 0; i < 20; i++) {
        files[i] = i % 2 ? tmpfile() : fdopen(dup(STDERR_FILENO), "w");
        CHECK(files[i] != NULL, "no stream %d", i);
    }
    return files;
}

static void closed_by_another_thread(void) {
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, open_files, NULL) == 0, "no thread");
    for (int t = 0; t < THREADS; t++) {
        void *result;
        pthread_join(threads[t], &result);
        FILE **files = result;
        for (int i = 0; i < 20; i++)
            CHECK(fclose(files[i]) == 0, "fclose of another thread's stream failed");
        free(files);
    }
}

int main(int argc, char **argv) {
    int rounds = ROUNDS * scale_of(argc, argv);
    watchdog(120);
    watched_step = "lines";
    lines();
    unlink("lines");
    struct growth growth = {0};
    for (int i = 0; i < rounds; i++) {
        watched_round = i;
        watched_step = "formatted";
        formatted();
        watched_step = "memory streams";
        memory_streams();
        watched_step = "cookies and buffers";
        cookies_and_buffers();
        watched_step = "closed by another thread";
        closed_by_another_thread();
        growth_sample(&growth, i, rounds);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 4096), "streams");
    return passed();
}
