/* What the fuzzer does with the str and wcs families. */
#include "functions_string.h"
#include "fuzz.h"
#include "oracle_string.h"

#include <string.h>

/* The next bytes as a string in one of the places: the last one becomes its null. */
static char *take_string(struct input *input, int where, size_t most) {
    size_t n = most;
    unsigned char *s = take_operand(input, where, &n);
    if (n == 0) {
        static unsigned char empty;
        empty = 0;
        return (char *)&empty;
    }
    s[n - 1] = 0;
    return (char *)s;
}

/* The same of wide characters, or a null pointer where they would not be aligned. */
static wchar_t *take_wide(struct input *input, int where) {
    size_t n = 4 * take_number(input, 1000);
    unsigned char *const s = take_operand(input, where, &n);
    if ((uintptr_t)s % 4 != 0 || n < 4) {
        return NULL;
    }
    ((wchar_t *)(void *)s)[n / 4 - 1] = 0;
    return (wchar_t *)(void *)s;
}

static void find(struct input *input) {
    const int c = (int)take_number(input, 1024);
    const size_t limit = take_number(input, 5200);
    const char *const s = take_string(input, 0, 5000);
    const size_t length = oracle_strnlen(s, SIZE_MAX);
    const char *const first = oracle_strchr(s, (char)c, false);
    same(brawn_strlen(s) == length, "strlen");
    same(brawn_strnlen(s, limit) == (limit < length ? limit : length), "strnlen");
    same(brawn_strchr(s, c) == first, "strchr");
    same(brawn_strchrnul(s, c) == (first ? first : s + length), "strchrnul");
    same(brawn_strrchr(s, c) == oracle_strchr(s, (char)c, true), "strrchr");
}

static void find_wide(struct input *input) {
    const size_t limit = take_number(input, 1200);
    const size_t at = take_number(input, 1200);
    const wchar_t *const s = take_wide(input, 0);
    if (s == NULL) {
        return;
    }
    const size_t length = oracle_wcsnlen(s, SIZE_MAX);
    const wchar_t c = s[at % (length + 1)];
    same(brawn_wcslen(s) == length, "wcslen");
    same(brawn_wcsnlen(s, limit) == (limit < length ? limit : length), "wcsnlen");
    same(brawn_wcschr(s, c) == oracle_wcschr(s, c, false), "wcschr");
    same(brawn_wcsrchr(s, c) == oracle_wcschr(s, c, true), "wcsrchr");
}

static void compare(struct input *input) {
    const size_t limit = take_number(input, 5200), change = take_number(input, 5000);
    const char flip = (char)take_number(input, 256);
    const char *const a = take_string(input, 0, 5000);
    const size_t length = oracle_strnlen(a, SIZE_MAX);
    unsigned char *room, *unused;
    take_room(input, length + 1, &room, &unused);
    char *const b = (char *)room;
    memcpy(b, a, length + 1);
    if (length) {
        b[change % length] ^= flip;
    }
    same(brawn_strcmp(a, b) == oracle_strncmp(a, b, SIZE_MAX, false), "strcmp");
    same(brawn_strncmp(a, b, limit) == oracle_strncmp(a, b, limit, false), "strncmp");
    same(brawn_strcasecmp(a, b) == oracle_strncmp(a, b, SIZE_MAX, true), "strcasecmp");
    same(brawn_strncasecmp(a, b, limit) == oracle_strncmp(a, b, limit, true), "strncasecmp");
}

static void compare_wide(struct input *input) {
    const size_t limit = take_number(input, 1200);
    const wchar_t *const a = take_wide(input, 0), *const b = take_wide(input, 1);
    if (a && b) {
        same(brawn_wcscmp(a, b) == oracle_wcsncmp(a, b, SIZE_MAX), "wcscmp");
        same(brawn_wcsncmp(a, b, limit) == oracle_wcsncmp(a, b, limit), "wcsncmp");
        same(brawn_wcscmp(a, a) == 0, "wcscmp of the same");
    }
}

static void copy(struct input *input) {
    const unsigned which = (unsigned)take_number(input, 7);
    const size_t limit = take_number(input, 2500), before = take_number(input, 200);
    const char *const s = take_string(input, 0, 2500);
    const size_t length = oracle_strnlen(s, SIZE_MAX), taken = limit < length ? limit : length;
    const size_t appended = which == 2 || which == 3 ? before : 0;
    unsigned char *room, *expected;
    take_room(input, appended + (which == 5 ? limit : which == 3 ? taken + 1 : length + 1), &room, &expected);
    char *const d = (char *)room, *const e = (char *)expected;
    if (appended || which == 2 || which == 3) {
        memset(d, 'b', appended);
        memset(e, 'b', appended);
        d[appended] = e[appended] = 0;
    }
    switch (which) {
    case 0:
        oracle_strcpy(e, s, SIZE_MAX);
        same(brawn_strcpy(d, s) == d, "strcpy's result");
        break;
    case 1:
        oracle_strcpy(e, s, SIZE_MAX);
        same(brawn_stpcpy(d, s) == d + length, "stpcpy's result");
        break;
    case 2:
        oracle_strcpy(e + appended, s, SIZE_MAX);
        same(brawn_strcat(d, s) == d, "strcat's result");
        break;
    case 3:
        oracle_strcpy(e + appended, s, limit);
        same(brawn_strncat(d, s, limit) == d, "strncat's result");
        break;
    case 4:
        if (limit) {
            oracle_strcpy(e, s, limit - 1);
        }
        same(brawn_strlcpy(d, s, limit) == length, "strlcpy's result");
        break;
    case 5:
        oracle_strncpy(e, s, limit);
        same(brawn_stpncpy(d, s, limit) == d + taken, "stpncpy's result");
        break;
    default: {
        char *const copy = brawn_strndup(s, limit);
        same(copy && memcmp(copy, s, taken) == 0 && copy[taken] == 0, "strndup");
        __builtin_free(copy);
        break;
    }
    }
    same_rooms("what a copy wrote");
}

static void span(struct input *input) {
    const char *const set = take_string(input, 1, take_number(input, 300));
    const char *const s = take_string(input, 0, 5000);
    const size_t within = oracle_strspn(s, set, true), without = oracle_strspn(s, set, false);
    same(brawn_strspn(s, set) == within, "strspn");
    same(brawn_strcspn(s, set) == without, "strcspn");
    same(brawn_strpbrk(s, set) == (s[without] ? s + without : NULL), "strpbrk");
}

static void search(struct input *input) {
    const size_t most = 1 + take_number(input, 80);
    /* Few letters, or nothing is ever found; of both cases. */
    const unsigned letters = 1 + (unsigned)take_number(input, 4);
    char *const needle = take_string(input, 1, most), *const s = take_string(input, 0, 5000);
    char *const both[] = {needle, s};
    for (int i = 0; i < 2; i++) {
        for (char *p = both[i]; *p; p++) {
            *p = "aAb\xc1"[(unsigned char)*p % letters];
        }
    }
    same(brawn_strstr(s, needle) == oracle_strstr(s, needle, false), "strstr");
    same(brawn_strcasestr(s, needle) == (*s ? oracle_strstr(s, needle, true) : NULL), "strcasestr");
}

const struct action string_actions[] = {
    {"string_find", find},       {"string_find_wide", find_wide},
    {"string_compare", compare}, {"string_compare_wide", compare_wide},
    {"string_copy", copy},       {"string_span", span},
    {"string_search", search},   {0},
};
