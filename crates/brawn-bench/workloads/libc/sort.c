// Sorting and searching. Every order is total, so equal elements do not tell one sort from another.

#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { INTS = 10000, STRINGS = 5000, RECORDS = 5000, NAMES = 500 };

struct record {
    int key;
    char rest[20];
};

static int shuffled[INTS], ascending[INTS], descending[INTS], few[INTS], ints[INTS];
static double shuffled_doubles[INTS], doubles[INTS];
static char letters[STRINGS][16];
static const char *shuffled_strings[STRINGS], *strings[STRINGS];
static struct record shuffled_records[RECORDS], records[RECORDS];
static void *tree;
static struct hsearch_data table;

static int by_value(const void *left, const void *right) {
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

static int by_value_counted(const void *left, const void *right, void *count) {
    ++*(uint64_t *)count;
    return by_value(left, right);
}

static int by_double(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int by_text(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int by_text_counted(const void *left, const void *right, void *count) {
    ++*(uint64_t *)count;
    return by_text(left, right);
}

static int by_letters(const void *left, const void *right) {
    return strcmp(left, right);
}

static void prepare(void) {
    uint64_t seed = 1;
    for (int i = 0; i < INTS; i++) {
        shuffled[i] = (int)next_random(&seed);
        ascending[i] = 3 * i;
        descending[i] = 3 * (INTS - i);
        few[i] = (int)(next_random(&seed) % 8);
        shuffled_doubles[i] = (double)next_random(&seed);
    }
    for (int i = 0; i < STRINGS; i++) {
        size_t length = 4 + next_random(&seed) % 10;
        for (size_t j = 0; j < length; j++)
            letters[i][j] = (char)('a' + next_random(&seed) % 26);
        shuffled_strings[i] = letters[i];
    }
    for (int i = 0; i < RECORDS; i++)
        shuffled_records[i].key = (int)next_random(&seed);
    hcreate_r(2 * NAMES, &table);
    for (int i = 0; i < NAMES; i++) {
        ENTRY entry = {letters[i], letters[i]}, *found;
        hsearch_r(entry, ENTER, &found, &table);
        tsearch(letters[i], &tree, by_letters);
    }
}

static uint64_t sort_ints(uint64_t times, const int *from, size_t count) {
    for (uint64_t i = 0; i < times; i++) {
        memcpy(ints, from, count * sizeof *ints);
        qsort(ints, count, sizeof *ints, by_value);
    }
    return written(ints, count * sizeof *ints);
}

static uint64_t random_ints(uint64_t times) {
    return sort_ints(times, shuffled, INTS);
}

static uint64_t ascending_ints(uint64_t times) {
    return sort_ints(times, ascending, INTS);
}

static uint64_t descending_ints(uint64_t times) {
    return sort_ints(times, descending, INTS);
}

static uint64_t few_ints(uint64_t times) {
    return sort_ints(times, few, INTS);
}

static uint64_t hundred_ints(uint64_t times) {
    return sort_ints(times, shuffled, 100);
}

static uint64_t ten_ints(uint64_t times) {
    return sort_ints(times, shuffled, 10);
}

static uint64_t counted_ints(uint64_t times) {
    uint64_t compared = 0;
    for (uint64_t i = 0; i < times; i++) {
        memcpy(ints, shuffled, sizeof ints);
        qsort_r(ints, INTS, sizeof *ints, by_value_counted, &compared);
    }
    return written(ints, sizeof ints) + (compared == 0);
}

static uint64_t random_doubles(uint64_t times) {
    for (uint64_t i = 0; i < times; i++) {
        memcpy(doubles, shuffled_doubles, sizeof doubles);
        qsort(doubles, INTS, sizeof *doubles, by_double);
    }
    return written(doubles, sizeof doubles);
}

static uint64_t joined(void) {
    uint64_t digest = 0;
    for (int i = 0; checking && i < STRINGS; i++)
        digest = mix(digest, text(strings[i]));
    return digest;
}

static uint64_t random_strings(uint64_t times) {
    for (uint64_t i = 0; i < times; i++) {
        memcpy(strings, shuffled_strings, sizeof strings);
        qsort(strings, STRINGS, sizeof *strings, by_text);
    }
    return joined();
}

static uint64_t counted_strings(uint64_t times) {
    uint64_t compared = 0;
    for (uint64_t i = 0; i < times; i++) {
        memcpy(strings, shuffled_strings, sizeof strings);
        qsort_r(strings, STRINGS, sizeof *strings, by_text_counted, &compared);
    }
    return joined() + (compared == 0);
}

static uint64_t random_records(uint64_t times) {
    for (uint64_t i = 0; i < times; i++) {
        memcpy(records, shuffled_records, sizeof records);
        qsort(records, RECORDS, sizeof *records, by_value);
    }
    return written(records, sizeof records);
}

static uint64_t bsearch_ints(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        int key = (int)(i * 7919 % (3 * INTS));
        const int *found = bsearch(&key, ascending, INTS, sizeof key, by_value);
        sum = mix(sum, found ? (uint64_t)(found - ascending) : INTS);
    }
    return sum;
}

static uint64_t found_in_table(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        ENTRY wanted = {letters[i % (2 * NAMES)], NULL}, *found;
        sum = mix(sum, hsearch_r(wanted, FIND, &found, &table) ? text(found->data) : 0);
    }
    return sum;
}

static uint64_t found_in_tree(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        const char *const *found = tfind(letters[i % (2 * NAMES)], &tree, by_letters);
        sum = mix(sum, found ? text(*found) : 0);
    }
    return sum;
}

static uint64_t found_in_list(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        size_t count = 100;
        int key = (int)(3 * (i % 128));
        const int *found = lfind(&key, ascending, &count, sizeof key, by_value);
        sum = mix(sum, found ? (uint64_t)(found - ascending) : count);
    }
    return sum;
}

static const struct row ROWS[] = {
    {"qsort-10000-ints", random_ints, 1, QUICK},
    {"qsort-10000-ints-ascending", ascending_ints, 1},
    {"qsort-10000-ints-descending", descending_ints, 1},
    {"qsort-10000-ints-of-8-values", few_ints, 1},
    {"qsort-100-ints", hundred_ints, 1},
    {"qsort-10-ints", ten_ints, 1},
    {"qsort-10000-doubles", random_doubles, 1},
    {"qsort-5000-records", random_records, 1},
    {"qsort-5000-strings", random_strings, 1, QUICK},
    {"qsort_r-10000-ints", counted_ints, 1},
    {"qsort_r-5000-strings", counted_strings, 1},
    {"bsearch", bsearch_ints, 1000},
    {"hsearch_r", found_in_table, 1000},
    {"tfind", found_in_tree, 1000},
    {"lfind", found_in_list, 1000},
};

const struct group sort_group = GROUP("sort", prepare, ROWS);
