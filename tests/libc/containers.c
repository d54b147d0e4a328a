// What libc keeps for the program: regular expressions, binary trees, hash tables, sorted arrays, the
// environment and copies of strings.
#include "check.h"
#include <fnmatch.h>
#include <regex.h>
#include <search.h>

enum { ROUNDS = 10, NODES = 3000, NAMES = 300, VARIABLES = 400 };

extern char **environ;

static void regular_expressions(void) {
    static const struct {
        const char *pattern, *match, *other;
    } cases[] = {
        {"^([a-z0-9_.-]+)@([a-z0-9-]+\\.)+[a-z]{2,8}$", "some.one@mail.example.org", "someone@"},
        {"(foo|ba[rz]|qu+x){2,5}(end)?$", "foobarquuux", "foo"},
        {"^(([0-9]{1,3})\\.){3}([0-9]{1,3})$", "192.0.2.255", "192.0.2"},
        {"[[:alpha:]_][[:alnum:]_]*[[:space:]]*=[[:space:]]*\"([^\"]*)\"", "key = \"a value\"", "= \"v\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        regex_t expression;
        regmatch_t groups[10];
        CHECK(regcomp(&expression, cases[i].pattern, REG_EXTENDED | REG_ICASE) == 0,
              "regcomp of case %zu failed", i);
        CHECK(regexec(&expression, cases[i].match, 10, groups, 0) == 0, "case %zu does not match", i);
        CHECK(groups[0].rm_so == 0 && groups[0].rm_eo == (regoff_t)strlen(cases[i].match),
              "case %zu: other match", i);
        CHECK(regexec(&expression, cases[i].other, 0, NULL, 0) == REG_NOMATCH, "case %zu matches too much",
              i);
        regfree(&expression);
    }
    regex_t broken;
    CHECK(regcomp(&broken, "(unclosed[a-", REG_EXTENDED) != 0, "a broken expression compiles");
    CHECK(fnmatch("*.[ch]", "model.c", 0) == 0, "fnmatch failed");
}

static int compare_numbers(const void *first, const void *second) {
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

static void trees(void) {
    void *root = NULL;
    uint64_t random = 5;
    uint64_t **keys = malloc(NODES * sizeof *keys);
    CHECK(keys != NULL, "no memory for the keys");
    for (int i = 0; i < NODES; i++) {
        keys[i] = malloc(sizeof **keys);
        CHECK(keys[i] != NULL, "no memory for a key");
        *keys[i] = random_next(&random);
        uint64_t **node = tsearch(keys[i], &root, compare_numbers);
        CHECK(node != NULL && *node == keys[i], "tsearch failed");
    }
    for (int i = 0; i < NODES; i += 2) {
        CHECK(tdelete(keys[i], &root, compare_numbers) != NULL, "tdelete failed");
        CHECK(tfind(keys[i], &root, compare_numbers) == NULL, "a deleted key is still there");
        free(keys[i]);
    }
    for (int i = 1; i < NODES; i += 2)
        CHECK(tfind(keys[i], &root, compare_numbers) != NULL, "a key is lost");
    tdestroy(root, free);
    free(keys);
}

static void hash_tables(void) {
    struct hsearch_data table = {0};
#ifdef __GLIBC__
    size_t room = NAMES; // glibc's table cannot grow
#else
    size_t room = 10;
#endif
    CHECK(hcreate_r(room, &table) != 0, "hcreate_r failed");
    char *names[NAMES];
    for (uintptr_t i = 0; i < NAMES; i++) {
        ENTRY *entry;
        CHECK(asprintf(&names[i], "name %d", (int)i) > 0, "asprintf failed");
        CHECK(hsearch_r((ENTRY){names[i], (void *)i}, ENTER, &entry, &table) != 0, "hsearch_r failed");
    }
    for (uintptr_t i = 0; i < NAMES; i++) {
        ENTRY *entry;
        CHECK(hsearch_r((ENTRY){names[i], NULL}, FIND, &entry, &table) != 0, "%s is lost", names[i]);
        CHECK(entry->data == (void *)i, "%s has another value", names[i]);
        free(names[i]);
    }
    hdestroy_r(&table);
}

static void sorting(void) {
    enum { COUNT = 4000 };
    uint64_t random = 17, *numbers = malloc(COUNT * sizeof *numbers);
    CHECK(numbers != NULL, "no memory to sort");
    for (int i = 0; i < COUNT; i++)
        numbers[i] = random_next(&random);
    qsort(numbers, COUNT, sizeof *numbers, compare_numbers);
    for (int i = 1; i < COUNT; i++)
        CHECK(numbers[i - 1] <= numbers[i], "qsort left element %d out of order", i);
    free(numbers);
}

static void environment(void) {
    char name[32], value[2000];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < VARIABLES; i++) {
            snprintf(name, sizeof name, "BRAWN_%d", i);
            memset(value, 'a' + round, sizeof value);
            value[(i * 7 + round * 300) % 1999] = '\0';
            CHECK(setenv(name, value, 1) == 0, "setenv %d failed", i);
        }
        for (int i = 0; i < VARIABLES; i++) {
            snprintf(name, sizeof name, "BRAWN_%d", i);
            const char *got = getenv(name);
            CHECK(got != NULL && strlen(got) == (size_t)((i * 7 + round * 300) % 1999), "%s is wrong", name);
            CHECK(got[0] == '\0' || got[0] == 'a' + round, "%s is damaged", name);
        }
    }
    char *own = strdup("BRAWN_OWN=put here");
    CHECK(own != NULL && putenv(own) == 0, "putenv failed");
    CHECK(getenv("BRAWN_OWN") == own + 10, "putenv made a copy");
    CHECK(unsetenv("BRAWN_OWN") == 0 && getenv("BRAWN_OWN") == NULL, "unsetenv failed");
    free(own);
    for (int i = 0; i < VARIABLES; i++) {
        snprintf(name, sizeof name, "BRAWN_%d", i);
        CHECK(unsetenv(name) == 0, "unsetenv failed");
    }
    CHECK(clearenv() == 0, "clearenv failed");
    CHECK(setenv("BRAWN_AFTER", "clearenv", 1) == 0 && environ != NULL && environ[1] == NULL,
          "setenv after clearenv");
}

static void copies(void) {
    char text[5000];
    memset(text, 'x', sizeof text);
    for (size_t length = 0; length < sizeof text; length = length * 2 + 1) {
        text[length] = '\0';
        char *whole = strdup(text), *part = strndup(text, length / 2);
        CHECK(whole != NULL && part != NULL, "strdup failed");
        CHECK(strcmp(whole, text) == 0 && strlen(part) == length / 2, "strdup gave another text");
        text[length] = 'x';
        free(whole);
        free(part);
    }
}

int main(int argc, char **argv) {
    int rounds = ROUNDS * scale_of(argc, argv);
    watchdog(120);
    struct growth growth = {0};
    for (int i = 0; i < rounds; i++) {
        watched_round = i;
        watched_step = "regular expressions";
        for (int j = 0; j < 5; j++)
            regular_expressions();
        watched_step = "trees";
        trees();
        watched_step = "hash tables";
        hash_tables();
        watched_step = "sorting";
        sorting();
        watched_step = "environment";
        environment();
        watched_step = "copies";
        copies();
        growth_sample(&growth, i, rounds);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 1024), "containers");
    return passed();
}
