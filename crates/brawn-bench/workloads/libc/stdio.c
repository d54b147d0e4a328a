// Streams: reading a file of text, writing to /dev/null and to a file, a process's first printf.

#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "rows.h"

enum { SIZE = 1 << 20 };

static FILE *from, *numbers;
static char block[65536];
static char path[64];
static const char LINE[] = "a line of a log, as programs write them by the million\n";

static FILE *temporary(void) {
    FILE *file = tmpfile();
    if (file == NULL)
        fail("tmpfile");
    return file;
}

static void prepare(void) {
    char *words = malloc(SIZE);
    from = temporary();
    numbers = temporary();
    if (words == NULL)
        fail("malloc");
    fill_words(words, SIZE, 4);
    if (fwrite(words, 1, SIZE, from) != SIZE)
        fail("fwrite");
    free(words);
    for (int i = 0; i < 10000; i++)
        fprintf(numbers, "%d %d.5\n", i * 7919 % 100003, i);
    fflush(from);
    fflush(numbers);
    fill_words(block, sizeof block, 5);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(from));
}

// At the file's end to its beginning.
#define AGAIN(file, read) ((read) ? 1 : (rewind(file), (read)))

#define READS(name, get)                                                                                     \
    static uint64_t name(uint64_t times) {                                                                   \
        uint64_t sum = 0;                                                                                    \
        int c;                                                                                               \
        rewind(from);                                                                                        \
        for (uint64_t i = 0; i < times; i++)                                                                 \
            sum = mix(sum, AGAIN(from, (c = get(from)) != EOF) ? (uint64_t)c : 0);                           \
        return sum;                                                                                          \
    }
READS(read_getc, getc)
READS(read_getc_unlocked, getc_unlocked)
READS(read_fgetc, fgetc)

static uint64_t read_ungetc(uint64_t times) {
    uint64_t sum = 0;
    rewind(from);
    for (uint64_t i = 0; i < times; i++) {
        int c = getc(from);
        if (c == EOF)
            rewind(from);
        else
            ungetc(c, from);
        c = getc(from);
        sum = mix(sum, (uint64_t)c);
    }
    return sum;
}

static uint64_t read_fgetwc(uint64_t times) {
    FILE *wide = fopen(path, "r");
    uint64_t sum = 0;
    wint_t c;
    if (wide == NULL)
        fail("fopen");
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, AGAIN(wide, (c = fgetwc(wide)) != WEOF) ? (uint64_t)c : 0);
    fclose(wide);
    return sum;
}

static uint64_t read_blocks(uint64_t times, size_t size) {
    uint64_t sum = 0;
    rewind(from);
    for (uint64_t i = 0; i < times; i++) {
        size_t got;
        if ((got = fread(block, 1, size, from)) < size) {
            rewind(from);
            got = fread(block, 1, size, from);
        }
        sum = mix(sum, written(block, got));
    }
    return sum;
}

static uint64_t read_1(uint64_t times) {
    return read_blocks(times, 1);
}

static uint64_t read_8(uint64_t times) {
    return read_blocks(times, 8);
}

static uint64_t read_100(uint64_t times) {
    return read_blocks(times, 100);
}

static uint64_t read_4096(uint64_t times) {
    return read_blocks(times, 4096);
}

static uint64_t read_65536(uint64_t times) {
    return read_blocks(times, 65536);
}

static uint64_t read_fgets(uint64_t times) {
    uint64_t sum = 0;
    rewind(from);
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, AGAIN(from, fgets(block, sizeof block, from) != NULL) ? text(block) : 0);
    return sum;
}

static uint64_t read_getline(uint64_t times) {
    uint64_t sum = 0;
    char *line = NULL;
    size_t room = 0;
    rewind(from);
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, AGAIN(from, getline(&line, &room, from) > 0) ? text(line) : 0);
    free(line);
    return sum;
}

static uint64_t read_getdelim(uint64_t times) {
    uint64_t sum = 0;
    char *word = NULL;
    size_t room = 0;
    rewind(from);
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, AGAIN(from, getdelim(&word, &room, ' ', from) > 0) ? text(word) : 0);
    free(word);
    return sum;
}

static uint64_t read_fscanf(uint64_t times) {
    uint64_t sum = 0;
    rewind(numbers);
    for (uint64_t i = 0; i < times; i++) {
        int whole = 0;
        double part = 0;
        sum = mix(sum, AGAIN(numbers, fscanf(numbers, "%d %lf", &whole, &part) == 2));
        sum = mix(sum, (uint64_t)whole ^ bits(part));
    }
    return sum;
}

static uint64_t read_after_seek(uint64_t times) {
    uint64_t sum = 0, seed = 6;
    for (uint64_t i = 0; i < times; i++) {
        if (fseek(from, (long)(next_random(&seed) % (SIZE - 64)), SEEK_SET) != 0)
            fail("fseek");
        sum = mix(sum, written(block, fread(block, 1, 64, from)));
    }
    return sum;
}

static uint64_t tell(uint64_t times) {
    uint64_t sum = 0;
    rewind(from);
    for (uint64_t i = 0; i < times; i++) {
        if (getc(from) == EOF)
            rewind(from);
        sum = mix(sum, (uint64_t)ftell(from));
    }
    return sum;
}

static uint64_t open_read_close(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        FILE *file = fopen(path, "r");
        if (file == NULL || fgets(block, sizeof block, file) == NULL)
            fail("fopen");
        sum = mix(sum, text(block));
        fclose(file);
    }
    return sum;
}

static uint64_t memory_stream(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        char *made = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&made, &size);
        if (file == NULL)
            fail("open_memstream");
        for (int j = 0; j < 10; j++)
            fputs(LINE, file);
        fclose(file);
        sum = mix(sum, written(made, size));
        free(made);
    }
    return sum;
}

static uint64_t memory_read(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        char line[128];
        FILE *file = fmemopen((char *)LINE, sizeof LINE - 1, "r");
        if (file == NULL || fgets(line, sizeof line, file) == NULL)
            fail("fmemopen");
        sum = mix(sum, text(line));
        fclose(file);
    }
    return sum;
}

// What has been written to a file, which is then empty again.
static uint64_t contents(int file) {
    uint64_t digest = 0;
    ssize_t got;
    lseek(file, 0, SEEK_SET);
    while ((got = read(file, block, sizeof block)) > 0)
        digest = mix(digest, digest_bytes(block, (size_t)got));
    return digest;
}

// /dev/null; while answers are collected, a file.
static FILE *opened(void) {
    FILE *file = checking ? temporary() : fopen("/dev/null", "w");
    if (file == NULL)
        fail("/dev/null");
    return file;
}

static uint64_t closed(FILE *file) {
    fflush(file);
    uint64_t digest = checking ? contents(fileno(file)) : 0;
    fclose(file);
    return digest;
}

#define WRITES(name, statement)                                                                              \
    static uint64_t name(uint64_t times) {                                                                   \
        FILE *file = opened();                                                                               \
        for (uint64_t i = 0; i < times; i++)                                                                 \
            statement;                                                                                       \
        return closed(file);                                                                                 \
    }

WRITES(write_putc, putc((int)(i % 26) + 'a', file))
WRITES(write_putc_unlocked, putc_unlocked((int)(i % 26) + 'a', file))
WRITES(write_fputc, fputc((int)(i % 26) + 'a', file))
WRITES(write_1, fwrite(LINE, 1, 1, file))
WRITES(write_100, fwrite(block, 1, 100, file))
WRITES(write_4096, fwrite(block, 1, 4096, file))
WRITES(write_fputs, fputs(LINE, file))
WRITES(write_fprintf_d, fprintf(file, "%d\n", (int)(i % 1000)))
WRITES(write_fprintf_mix, fprintf(file, "%s %d %5.2f\n", "name", (int)(i % 1000), (double)(i % 1000) / 8))
WRITES(write_fputwc, fputwc((wchar_t)(i % 26) + L'a', file))
WRITES(write_flushed, (fputs(LINE, file), fflush(file)))

// Standard output goes elsewhere while `puts` is measured.
static int saved, elsewhere;

static void redirected(void) {
    fflush(stdout);
    saved = dup(1);
    FILE *file = opened();
    elsewhere = dup(fileno(file));
    fclose(file);
    if (saved < 0 || elsewhere < 0 || dup2(elsewhere, 1) < 0)
        fail("dup2");
}

static uint64_t restored(void) {
    fflush(stdout);
    uint64_t digest = checking ? contents(elsewhere) : 0;
    dup2(saved, 1);
    close(saved);
    close(elsewhere);
    return digest;
}

#define PRINTS(name, statement)                                                                              \
    static uint64_t name(uint64_t times) {                                                                   \
        redirected();                                                                                        \
        for (uint64_t i = 0; i < times; i++)                                                                 \
            statement;                                                                                       \
        return restored();                                                                                   \
    }

PRINTS(write_puts, puts("a line of a log, as programs write them by the million"))
PRINTS(write_putchar, putchar((int)(i % 26) + 'a'))
PRINTS(write_printf, printf("%d %s\n", (int)(i % 1000), "text"))
PRINTS(write_dprintf, dprintf(1, "%d %s\n", (int)(i % 1000), "text"))

// To a real file, whose system calls cost what they cost: 1 MiB, again and again.
static uint64_t write_file(uint64_t times) {
    FILE *file = temporary();
    for (uint64_t i = 0; i < times; i++) {
        if (i % 10000 == 9999)
            rewind(file);
        fwrite(block, 1, 100, file);
    }
    fflush(file);
    uint64_t digest = checking ? contents(fileno(file)) : 0;
    fclose(file);
    return digest;
}

static int first_printf(void) {
    double start = now();
    printf("%d %s\n", 42, "text");
    fflush(stdout);
    double took = now() - start;
    return write(2, &took, sizeof took) == sizeof took ? 0 : 1;
}

// What it takes within a fresh process. The process itself is the business of the suite `startup`.
static double fresh_process(void) {
    static char *const WORDS[] = {"libc", "stdio", "child", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], status;
    pid_t child;
    double took;
    if (pipe2(ends, O_CLOEXEC) != 0)
        fail("pipe2");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    if (posix_spawn(&child, "/proc/self/exe", &actions, NULL, WORDS, environ) != 0)
        fail("posix_spawn");
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (read(ends[0], &took, sizeof took) != sizeof took || waitpid(child, &status, 0) != child ||
        status != 0)
        fail("a fresh process");
    close(ends[0]);
    return took;
}

static uint64_t fresh_printf(uint64_t times) {
    for (uint64_t i = 0; i < times; i++)
        own_time += fresh_process();
    return times;
}

static const struct row ROWS[] = {
    {"getc", read_getc, 3000, QUICK},
    {"getc_unlocked", read_getc_unlocked, 3000},
    {"fgetc", read_fgetc, 3000},
    {"getc-ungetc", read_ungetc, 3000},
    {"fgetwc", read_fgetwc, 3000},
    {"fread-1", read_1, 3000},
    {"fread-8", read_8, 3000},
    {"fread-100", read_100, 3000, QUICK},
    {"fread-4096", read_4096, 300},
    {"fread-65536", read_65536, 30},
    {"fgets", read_fgets, 3000},
    {"getline", read_getline, 3000, QUICK},
    {"getdelim", read_getdelim, 3000},
    {"fscanf-%d-%lf", read_fscanf, 3000},
    {"fseek-fread-64", read_after_seek, 300},
    {"getc-ftell", tell, 3000},
    {"fopen-fgets-fclose", open_read_close, 3},
    {"open_memstream-10-lines", memory_stream, 3},
    {"fmemopen-fgets", memory_read, 3},
    {"putc", write_putc, 3000},
    {"putc_unlocked", write_putc_unlocked, 3000},
    {"fputc", write_fputc, 3000},
    {"putchar", write_putchar, 3000},
    {"fputwc", write_fputwc, 3000},
    {"fwrite-1", write_1, 3000},
    {"fwrite-100", write_100, 3000},
    {"fwrite-4096", write_4096, 300},
    {"fwrite-100-to-a-file", write_file, 30000},
    {"fputs", write_fputs, 3000},
    {"fputs-fflush", write_flushed, 300},
    {"puts", write_puts, 3000},
    {"fprintf-%d", write_fprintf_d, 3000, QUICK},
    {"fprintf-mix", write_fprintf_mix, 3000},
    {"printf", write_printf, 3000},
    {"dprintf", write_dprintf, 300},
    {"first-printf", fresh_printf, 1, MEDIAN | OWN},
};

const struct group stdio_group = {"stdio", prepare, ROWS, COUNT(ROWS), first_printf};
