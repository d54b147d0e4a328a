// posix_spawn with long lists of file actions, popen, system and wordexp. The lists are nodes that libc
// allocates and frees inside; the child shares the parent's memory until it executes.
#include "check.h"
#include <pthread.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <wordexp.h>

enum { SPAWNS = 15, THREADS = 3, LISTS = 20000, ACTIONS_PER_LIST = 10 };

extern char **environ;
static int spawns;

static void expect_exit(pid_t child, int code, const char *what) {
    int status;
    CHECK(waitpid(child, &status, 0) == child, "%s: waitpid failed", what);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == code, "%s ended with status 0x%x", what, status);
}

// Descriptor 3 is a file, copied to stdout by way of a chain of further descriptors.
static void with_many_file_actions(int number) {
    char name[64];
    snprintf(name, sizeof name, "spawned-%d", number);
    posix_spawn_file_actions_t actions;
    CHECK(posix_spawn_file_actions_init(&actions) == 0, "no file actions");
    CHECK(posix_spawn_file_actions_addopen(&actions, 40, name, O_CREAT | O_WRONLY | O_TRUNC, 0600) == 0,
          "addopen");
    for (int fd = 41; fd < 90; fd++)
        CHECK(posix_spawn_file_actions_adddup2(&actions, fd - 1, fd) == 0, "adddup2");
    CHECK(posix_spawn_file_actions_adddup2(&actions, 89, 1) == 0, "adddup2");
    for (int fd = 40; fd < 90; fd++)
        CHECK(posix_spawn_file_actions_addclose(&actions, fd) == 0, "addclose");
    posix_spawnattr_t attributes;
    sigset_t all;
    sigfillset(&all);
    CHECK(posix_spawnattr_init(&attributes) == 0, "no attributes");
    CHECK(posix_spawnattr_setsigdefault(&attributes, &all) == 0, "setsigdefault");
    CHECK(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) == 0, "setflags");
    char script[64];
    snprintf(script, sizeof script, "echo child %d; exit %d", number, number % 7);
    char *arguments[] = {"sh", "-c", script, NULL};
    pid_t child;
    int code = posix_spawnp(&child, "sh", &actions, &attributes, arguments, environ);
    CHECK(code == 0, "posix_spawnp answers %d", code);
    CHECK(posix_spawn_file_actions_destroy(&actions) == 0, "destroy");
    CHECK(posix_spawnattr_destroy(&attributes) == 0, "destroy");
    expect_exit(child, number % 7, "a spawned shell");
    char text[64] = "", expected[64];
    FILE *file = fopen(name, "r");
    CHECK(file != NULL && fgets(text, sizeof text, file) != NULL, "%s cannot be read", name);
    fclose(file);
    snprintf(expected, sizeof expected, "child %d\n", number);
    CHECK(strcmp(text, expected) == 0, "%s holds \"%s\"", name, text);
    unlink(name);
}

static void *spawn_often(void *argument) {
    int first = (int)(uintptr_t)argument * 1000;
    for (int i = 0; i < spawns; i++) {
        void *beside = malloc((size_t)i * 100);
        with_many_file_actions(first + i);
        free(beside);
    }
    return NULL;
}

static void missing_program(void) {
    char *arguments[] = {"missing", NULL};
    pid_t child;
    int code = posix_spawn(&child, "/no/such/program", NULL, NULL, arguments, environ);
    CHECK(code == ENOENT, "posix_spawn of a missing program answers %d", code);
}

static void lists_are_freed(long allowed_kib) {
    struct growth growth = {0};
    for (int i = 0; i < LISTS; i++) {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        for (int fd = 0; fd < ACTIONS_PER_LIST; fd++)
            CHECK(posix_spawn_file_actions_addopen(&actions, fd, "a-name-that-is-copied-into-the-list",
                                                   O_RDONLY, 0) == 0,
                  "addopen");
        posix_spawn_file_actions_destroy(&actions);
        growth_sample(&growth, i, LISTS);
    }
    CHECK_GROWTH(growth, allowed_kib, "lists of file actions");
}

static void pipes(void) {
    for (int i = 0; i < 5; i++) {
        FILE *pipe = popen("echo one; echo two", "r");
        CHECK(pipe != NULL, "popen failed");
        char *line = NULL;
        size_t capacity = 0;
        CHECK(getline(&line, &capacity, pipe) == 4 && strcmp(line, "one\n") == 0, "popen gave \"%s\"", line);
        CHECK(getline(&line, &capacity, pipe) == 4 && strcmp(line, "two\n") == 0, "popen gave \"%s\"", line);
        free(line);
        int status = pclose(pipe);
        CHECK(status == 0, "pclose answers 0x%x", status);
    }
    int status = system("exit 5");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5, "system answers 0x%x", status);
}

static void word_expansion(void) {
    wordexp_t words;
    CHECK(setenv("BRAWN_WORD", "from the environment", 1) == 0, "setenv failed");
    int code = wordexp("plain \"$BRAWN_WORD\" 'single quoted' $((6*7))", &words, 0);
    CHECK(code == 0, "wordexp answers %d", code);
    static const char *expected[] = {"plain", "from the environment", "single quoted", "42"};
    CHECK(words.we_wordc == 4, "wordexp gave %zu words", words.we_wordc);
    for (int i = 0; i < 4; i++)
        CHECK(strcmp(words.we_wordv[i], expected[i]) == 0, "word %d is \"%s\"", i, words.we_wordv[i]);
    CHECK(wordexp("appended", &words, WRDE_APPEND) == 0 && words.we_wordc == 5, "wordexp did not append");
    wordfree(&words);
}

int main(int argc, char **argv) {
    spawns = SPAWNS * scale_of(argc, argv);
    watchdog(120);
    watched_step = "spawn from threads";
    pthread_t threads[THREADS];
    for (uintptr_t t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, spawn_often, (void *)t) == 0, "no thread");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    missing_program();
    watched_step = "lists of file actions";
    lists_are_freed(option_of(argc, argv, "growth-kib", 512));
    watched_step = "popen and system";
    pipes();
    watched_step = "wordexp";
    word_expansion();
    return passed();
}
