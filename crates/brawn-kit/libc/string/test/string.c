/* The rows and checks of the str and wcs families. */
#include "functions_string.h"
#include "oracle_string.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* --- operands ---------------------------------------------------------------------------------------- */

/* Where a string of so many bytes, its null included, lies: against an inaccessible page, or, every second
 * time, so that it begins shortly before the end of a page that another page follows. */
static void *string_at(int arena, size_t bytes, size_t offset, bool at_end, bool before_page) {
    unsigned char *const p = place(arena, bytes, offset, at_end);
    return !at_end && before_page ? p + 4096 - 64 : p;
}
#define STRING_A(p, bytes) string_at(SOURCE, bytes, (p).a, (p).a_at_end, (p).a_before_page)
#define STRING_B(p, arena, bytes) string_at(arena, bytes, (p).b, (p).b_at_end, (p).b_before_page)

/* Random bytes but 0 and `without`, among them many of both signs; a null behind, and nulls and `without` in
 * what lies around, so that a look beyond the string is seen. */
static void fill_string(int arena, char *s, size_t length, char without) {
    fill_random((unsigned char *)s, length);
    for (size_t i = 0; i < length; i++) {
        if (s[i] == 0 || s[i] == without) {
            s[i] = (char)(without == 'x' ? 'y' : 'x');
        }
    }
    s[length] = 0;
    for (int i = 1; i < 70; i++) {
        if ((unsigned char *)s - i >= arenas[arena].begin) {
            s[-i] = i & 1 ? 0 : without;
        }
        if ((unsigned char *)s + length + i < arenas[arena].end) {
            s[length + (size_t)i] = i & 1 ? without : (char)i;
        }
    }
}

/* The same of wide characters, which share three bytes of four with 0 or with `without`. */
static void fill_wide(int arena, wchar_t *s, size_t length, wchar_t without) {
    for (size_t i = 0; i < length; i++) {
        s[i] = (wchar_t)(random_number() & 1 ? 0 : (uint32_t)without) ^ (wchar_t)(1u << random_number() % 32);
        if (s[i] == 0 || s[i] == without) {
            s[i] = without ^ (wchar_t)0x40404040;
        }
    }
    s[length] = 0;
    for (int i = 1; i < 20; i++) {
        if ((unsigned char *)(s - i) >= arenas[arena].begin) {
            s[-i] = i & 1 ? 0 : without;
        }
        if ((unsigned char *)(s + length + i + 1) <= arenas[arena].end) {
            s[length + (size_t)i] = i & 1 ? without : i;
        }
    }
}

/* A limit around the length, or none. */
static size_t some_limit(size_t length, unsigned number) {
    switch (number % 6) {
    case 0:
        return length;
    case 1:
        return length + 1;
    case 2:
        return length / 2;
    case 3:
        return random_number() % (length + 2);
    case 4:
        return length + random_number() % 100;
    default:
        return SIZE_MAX;
    }
}

static bool is_wide(const struct row *row) {
    return strncmp(row->name, "wcs", 3) == 0;
}

/* --- lengths ----------------------------------------------------------------------------------------- */

static void check_length(const struct row *row) {
    const size_t unit = is_wide(row) ? sizeof(wchar_t) : 1;
    EACH_SIZE(length, (size_t)1 << 20) {
        EACH_PLACE(p, (length + 1) * unit, unit) {
            void *const s = STRING_A(p, (length + 1) * unit);
            if (unit == 1) {
                fill_string(SOURCE, s, length, 0);
            } else {
                fill_wide(SOURCE, s, length, 0);
            }
            const size_t result = unit == 1 ? brawn_strlen(s) : brawn_wcslen(s);
            expect(row, result == length, "length %zu at %p: %zu", length, s, result);
        }
    }
}

static void check_limited_length(const struct row *row) {
    const bool wide = is_wide(row);
    const size_t unit = wide ? sizeof(wchar_t) : 1;
    EACH_SIZE(length, (size_t)1 << 20) {
        EACH_PLACE(p, (length + 1) * unit, unit) {
            void *s = STRING_A(p, (length + 1) * unit);
            if (wide) {
                fill_wide(SOURCE, s, length, 0);
            } else {
                fill_string(SOURCE, s, length, 0);
            }
            for (unsigned i = 0; i < 6; i++) {
                const size_t n = some_limit(length, i), wanted = n < length ? n : length;
                const size_t result = wide ? brawn_wcsnlen(s, n) : brawn_strnlen(s, n);
                expect(row, result == wanted, "length %zu, limit %zu at %p: %zu", length, n, s, result);
            }
            /* No null before the limit, which is where the page ends. */
            s = place(SOURCE, length * unit, p.a, p.a_at_end);
            memset(s, 0x81, length * unit);
            const size_t result = wide ? brawn_wcsnlen(s, length) : brawn_strnlen(s, length);
            expect(row, result == length, "length %zu without a null at %p: %zu", length, s, result);
        }
    }
}

/* --- characters -------------------------------------------------------------------------------------- */

static void check_character(const struct row *row) {
    typedef char *function(const char *, int);
    function *const ours = (function *)row->ours;
    const bool last = strcmp(row->name, "strrchr") == 0, or_end = strstr(row->name, "nul") != NULL;
    EACH_SIZE(length, (size_t)1 << 20) {
        EACH_PLACE(p, length + 1, 1) {
            static const char characters[] = {'a', (char)0x80, (char)0xff, 1, 0, 0x7f};
            const char c = characters[random_number() % sizeof characters];
            char *const s = STRING_A(p, length + 1);
            fill_string(SOURCE, s, length, c);
            for (int times = 0; times < 3; times++) {
                const char *wanted = oracle_strchr(s, c, last);
                if (wanted == NULL && or_end) {
                    wanted = s + length;
                }
                /* Only the low byte of the character counts. */
                const char *const result = ours(s, c + 256 * times);
                expect(row, result == wanted, "length %zu at %p, character %d: %p, not %p", length, (void *)s,
                       c, (void *)result, (void *)wanted);
                if (length == 0 || c == 0) {
                    break;
                }
                s[random_number() % length] = c;
            }
            /* Matches everywhere. */
            if (c && random_number() % 4 == 0) {
                memset(s, c, length);
                expect(row,
                       ours(s, c) == (last && length     ? s + length - 1
                                      : length || or_end ? s
                                                         : NULL),
                       "length %zu, all the same", length);
            }
        }
    }
}

static void check_wide_character(const struct row *row) {
    typedef wchar_t *function(const wchar_t *, wchar_t);
    function *const ours = (function *)row->ours;
    const bool last = strcmp(row->name, "wcsrchr") == 0;
    EACH_SIZE(length, (size_t)1 << 18) {
        EACH_PLACE(p, (length + 1) * sizeof(wchar_t), sizeof(wchar_t)) {
            static const wchar_t characters[] = {'a', (wchar_t)0x80000000, (wchar_t)0xffffffff, 0x01000000,
                                                 0};
            const wchar_t c = characters[random_number() % 5];
            wchar_t *const s = STRING_A(p, (length + 1) * sizeof(wchar_t));
            fill_wide(SOURCE, s, length, c);
            for (int times = 0; times < 3; times++) {
                const wchar_t *const result = ours(s, c), *const wanted = oracle_wcschr(s, c, last);
                expect(row, result == wanted, "length %zu at %p, character %lx: %p, not %p", length,
                       (void *)s, (unsigned long)c, (void *)result, (void *)wanted);
                if (length == 0 || c == 0) {
                    break;
                }
                s[random_number() % length] = c;
            }
        }
    }
}

/* --- order ------------------------------------------------------------------------------------------- */

static int call_compare(const struct row *row, const char *a, const char *b, size_t n) {
    switch (row->name[0] == '_' ? row->name[2 + 3] : row->name[3]) {
    case 'n': {
        if (strstr(row->name, "_l")) {
            return ((int (*)(const char *, const char *, size_t, void *))row->ours)(a, b, n, NULL);
        }
        return ((int (*)(const char *, const char *, size_t))row->ours)(a, b, n);
    }
    default:
        if (strstr(row->name, "_l")) {
            return ((int (*)(const char *, const char *, void *))row->ours)(a, b, NULL);
        }
        return ((int (*)(const char *, const char *))row->ours)(a, b);
    }
}

static void check_order(const struct row *row) {
    const bool folded = strstr(row->name, "case") != NULL, limited = strstr(row->name, "strn") != NULL;
    EACH_SIZE(length, (size_t)1 << 20) {
        EACH_PLACEMENT(p, length + 1, 1) {
            char *a = STRING_A(p, length + 1), *b = STRING_B(p, TARGET, length + 1);
            fill_string(SOURCE, a, length, 0);
            fill_string(TARGET, b, 0, 0);
            memcpy(b, a, length + 1);
            for (size_t i = 0; folded && i < length; i++) {
                /* Letters, and what lies next to them, in either case. */
                a[i] = "@AZ[`az{\xc1\xe1mMXxPp"[a[i] & 15];
                b[i] = (char)oracle_fold((unsigned char)a[i]);
            }
            for (int change = 0; change < contents(4, length); change++) {
                const size_t n = limited ? some_limit(length, random_number()) : SIZE_MAX;
                const int wanted = oracle_strncmp(a, b, n, folded), result = call_compare(row, a, b, n);
                expect(row, result == wanted, "length %zu at %p, %p, limit %zu: %d, not %d", length,
                       (void *)a, (void *)b, n, result, wanted);
                const int reverse = call_compare(row, b, a, n);
                expect(row, reverse == -wanted, "length %zu, reversed: %d, not %d", length, reverse, -wanted);
                if (length == 0) {
                    break;
                }
                char *const victim = (random_number() & 1 ? a : b) + random_number() % length;
                *victim = random_number() % 4 ? (char)(*victim ^ (1 << random_number() % 8)) : 0;
            }
            /* Equal as far as the limit, which is where both pages end: no null. */
            if (limited) {
                a = (char *)place(SOURCE, length, p.a, p.a_at_end);
                b = (char *)place(TARGET, length, p.b, p.b_at_end);
                memset(a, 0xe1, length);
                memset(b, 0xe1, length);
                expect(row, call_compare(row, a, b, length) == 0, "length %zu without a null", length);
            }
        }
    }
}

static void check_wide_order(const struct row *row) {
    const bool limited = row->name[3] == 'n';
    EACH_SIZE(length, (size_t)1 << 18) {
        const size_t bytes = (length + 1) * sizeof(wchar_t);
        EACH_PLACEMENT(p, bytes, sizeof(wchar_t)) {
            wchar_t *const a = STRING_A(p, bytes), *const b = STRING_B(p, TARGET, bytes);
            fill_wide(SOURCE, a, length, 0);
            fill_wide(TARGET, b, 0, 0);
            memcpy(b, a, bytes);
            for (int change = 0; change < contents(4, length); change++) {
                const size_t n = limited ? some_limit(length, random_number()) : SIZE_MAX;
                const int wanted = oracle_wcsncmp(a, b, n);
                const int result = limited ? brawn_wcsncmp(a, b, n) : brawn_wcscmp(a, b);
                expect(row, result == wanted, "length %zu at %p, %p, limit %zu: %d, not %d", length,
                       (void *)a, (void *)b, n, result, wanted);
                const int reverse = limited ? brawn_wcsncmp(b, a, n) : brawn_wcscmp(b, a);
                expect(row, reverse == -wanted, "length %zu, reversed: %d, not %d", length, reverse, -wanted);
                if (length == 0) {
                    break;
                }
                wchar_t *const victim = (random_number() & 1 ? a : b) + random_number() % length;
                *victim = random_number() % 4 ? *victim ^ (wchar_t)(1u << random_number() % 32) : 0;
            }
        }
    }
}

/* --- copies ------------------------------------------------------------------------------------------ */

/* The target and what lies around it, for comparison after the call. */
static unsigned char *around(const unsigned char *target, size_t *bytes, size_t n) {
    const unsigned char *const begin = arenas[TARGET].begin, *const end = arenas[TARGET].end;
    const unsigned char *const from = target - begin > 64 ? target - 64 : begin;
    const unsigned char *const to = end - (target + n) > 64 ? target + n + 64 : end;
    *bytes = (size_t)(to - from);
    return arenas[TARGET].begin + (from - begin);
}

/* strcpy, stpcpy, strcat and the limited ones: `capacity` is all that may be written, and lies against the
 * page. */
static void check_copy(const struct row *row) {
    const char *const name = row->name[0] == '_' ? row->name + 2 : row->name;
    const bool end_result = name[2] == 'p', fills = strstr(name, "ncpy") != NULL;
    const bool appends = strstr(name, "cat") != NULL, lower = name[3] == 'l';
    const bool limited = name[3] == 'n' || lower;
    EACH_SIZE(length, (size_t)1 << 20) {
        EACH_PLACEMENT(p, length + 1, 1) {
            const size_t before = appends ? random_number() % (random_number() & 1 ? 20 : 200) : 0;
            const size_t limit = some_limit(length, random_number());
            const size_t n = !limited                                ? SIZE_MAX
                             : fills || (lower && limit == SIZE_MAX) ? limit % (length + 200)
                                                                     : limit;
            /* strlcpy and strlcat count the whole target, null included. */
            const size_t room = lower ? (n > before ? n - before : 0) : n;
            const size_t taken = lower && room ? (room - 1 < length ? room - 1 : length)
                                 : lower       ? 0
                                 : n < length  ? n
                                               : length;
            const size_t capacity = fills            ? n
                                    : lower && !room ? before + (n == before || appends)
                                                     : before + taken + 1;
            char *const source = STRING_A(p, length + 1);
            char *const target = (char *)STRING_B(p, TARGET, capacity + (capacity == 0));
            size_t bytes;
            unsigned char *const from = around((unsigned char *)target, &bytes, capacity);
            fill_string(SOURCE, source, length, 0);
            fill_random(from, bytes);
            memset(target, 'b', before);
            if (appends) {
                target[before] = 0;
            }
            memcpy(arenas[EXPECTED].begin, from, bytes);
            char *const expected = (char *)arenas[EXPECTED].begin + ((unsigned char *)target - from);
            const void *wanted = target;
            const void *result;
            if (lower) {
                if (room) {
                    oracle_strcpy(expected + before, source, room - 1);
                }
                wanted = (const void *)(uintptr_t)((n < before ? n : before) + length);
                result = (const void *)(uintptr_t)((size_t (*)(char *, const char *, size_t))row->ours)(
                    target, source, n);
            } else if (fills) {
                oracle_strncpy(expected, source, n);
                wanted = end_result ? target + taken : target;
                result = ((char *(*)(char *, const char *, size_t))row->ours)(target, source, n);
            } else {
                oracle_strcpy(expected + before, source, n);
                wanted = end_result ? target + taken : target;
                result = limited ? ((char *(*)(char *, const char *, size_t))row->ours)(target, source, n)
                                 : ((char *(*)(char *, const char *))row->ours)(target, source);
            }
            expect(row, result == wanted, "length %zu at %p to %p, limit %zu: returned %p, not %p", length,
                   (void *)source, (void *)target, n, result, wanted);
            expect(row, memcmp(from, arenas[EXPECTED].begin, bytes) == 0,
                   "length %zu at %p to %p after %zu, limit %zu: wrong bytes", length, (void *)source,
                   (void *)target, before, n);
        }
    }
}

static void check_wide_copy(const struct row *row) {
    EACH_SIZE(length, (size_t)1 << 18) {
        const size_t n = (length + 1) * sizeof(wchar_t);
        EACH_PLACEMENT(p, n, sizeof(wchar_t)) {
            wchar_t *const source = STRING_A(p, n), *const target = STRING_B(p, TARGET, n);
            size_t bytes;
            unsigned char *const from = around((unsigned char *)target, &bytes, n);
            fill_wide(SOURCE, source, length, 0);
            fill_random(from, bytes);
            memcpy(arenas[EXPECTED].begin, from, bytes);
            memcpy(arenas[EXPECTED].begin + ((unsigned char *)target - from), source, n);
            expect(row, brawn_wcscpy(target, source) == target, "length %zu: result", length);
            expect(row, memcmp(from, arenas[EXPECTED].begin, bytes) == 0, "length %zu: wrong bytes", length);
        }
    }
}

static void check_duplicate(const struct row *row) {
    EACH_SIZE(length, (size_t)1 << 16) {
        char *const s = (char *)place(SOURCE, length + 1, length % 64, length & 1);
        fill_string(SOURCE, s, length, 0);
        for (unsigned i = 0; i < 6; i++) {
            const size_t n = row->name[3] == 'n' ? some_limit(length, i) : SIZE_MAX;
            const size_t taken = n < length ? n : length;
            char *const copy = row->name[3] == 'n' ? brawn_strndup(s, n) : brawn_strdup(s);
            expect(row, copy && memcmp(copy, s, taken) == 0 && copy[taken] == 0, "length %zu, limit %zu",
                   length, n);
            free(copy);
        }
    }
}

static void check_wide_duplicate(const struct row *row) {
    EACH_SIZE(length, (size_t)1 << 14) {
        const size_t n = (length + 1) * sizeof(wchar_t);
        wchar_t *const s = (wchar_t *)place(SOURCE, n, length % 16 * sizeof(wchar_t), length & 1);
        fill_wide(SOURCE, s, length, 0);
        wchar_t *const copy = brawn_wcsdup(s);
        expect(row, copy && memcmp(copy, s, n) == 0, "length %zu", length);
        free(copy);
    }
}

/* --- sets -------------------------------------------------------------------------------------------- */

static void fill_set(char *set, size_t members, char *outside) {
    bool used[256] = {true};
    for (size_t i = 0; i < members; i++) {
        set[i] =
            (char)(random_number() % 3 ? (int)(random_number() & 255) : " \t\r\n,;"[random_number() % 6]);
        set[i] = (char)(set[i] ? set[i] : 0x80);
        used[(unsigned char)set[i]] = true;
    }
    set[members] = 0;
    int byte = 1 + (int)(random_number() % 255);
    for (int i = 0; i < 255 && used[byte]; i++) {
        byte = 1 + byte % 255;
    }
    *outside = (char)byte;
}

static void check_set(const struct row *row) {
    const bool spanning = strcmp(row->name, "strspn") == 0;
    EACH_SIZE(length, (size_t)1 << 16) {
        EACH_PLACEMENT(p, length + 1, 1) {
            const unsigned kind = random_number() % 16;
            const size_t members = random_number() % (kind == 0 ? 180 : kind < 5 ? 20 : 5);
            char *const s = STRING_A(p, length + 1), *const set = STRING_B(p, TARGET, members + 1);
            char outside;
            fill_string(SOURCE, s, length, 0);
            fill_set(set, members, &outside);
            /* A run of the wanted kind, then, most often, one of the other. */
            for (size_t i = 0; i < length; i++) {
                s[i] = spanning && members ? set[(unsigned char)s[i] * members / 256] : outside;
            }
            for (int change = 0; change < contents(3, length); change++) {
                const size_t wanted = oracle_strspn(s, set, spanning);
                if (strcmp(row->name, "strpbrk") == 0) {
                    const char *const result = brawn_strpbrk(s, set);
                    expect(row, result == (s[wanted] ? s + wanted : NULL), "length %zu, %zu members: %p",
                           length, members, (void *)result);
                } else {
                    const size_t result = spanning ? brawn_strspn(s, set) : brawn_strcspn(s, set);
                    expect(row, result == wanted, "length %zu, %zu members, at %p, %p: %zu, not %zu", length,
                           members, (void *)s, (void *)set, result, wanted);
                }
                if (length == 0) {
                    break;
                }
                s[random_number() % length] = spanning || !members ? outside : set[random_number() % members];
            }
        }
    }
}

/* strsep and strtok_r: all fields of a string, against those that the oracle's spans give. */
static void check_fields(const struct row *row) {
    const bool skips = strcmp(row->name, "strtok_r") == 0;
    EACH_SIZE(length, 5000) {
        EACH_PLACEMENT(p, length + 1, 1) {
            static char copy[5001];
            char *const s = STRING_A(p, length + 1), *const set = STRING_B(p, TARGET, 4);
            memcpy(set, ", \xff", 4);
            for (size_t i = 0; i < length; i++) {
                s[i] = random_number() % 5 ? (char)('a' + random_number() % 26) : set[random_number() % 3];
            }
            s[length] = 0;
            memcpy(copy, s, length + 1);
            char *rest = s;
            size_t at = 0;
            bool ended = false;
            for (;;) {
                char *const field =
                    skips ? brawn_strtok_r(rest == s ? s : NULL, set, &rest) : brawn_strsep(&rest, set);
                at += skips && !ended ? oracle_strspn(copy + at, set, true) : 0;
                ended = ended || (skips && copy[at] == 0);
                expect(row, field == (ended ? NULL : s + at), "length %zu: field at %p, not %zu", length,
                       (void *)field, at);
                if (ended || field == NULL) {
                    break;
                }
                const size_t span = oracle_strspn(copy + at, set, false);
                expect(row, field[span] == 0 && memcmp(field, copy + at, span) == 0, "length %zu: field",
                       length);
                ended = copy[at + span] == 0;
                at += span + !ended;
            }
            expect(row, rest == NULL, "length %zu: %p left", length, (void *)rest);
        }
    }
    char *rest = NULL;
    expect(row, skips ? brawn_strtok_r(NULL, ",", &rest) == NULL : brawn_strsep(&rest, ",") == NULL,
           "nothing left: something found");
}

/* --- search ------------------------------------------------------------------------------------------ */

static void check_search(const struct row *row) {
    typedef char *function(const char *, const char *);
    function *const ours = (function *)row->ours;
    const bool folded = row->name[3] == 'c';
    EACH_SIZE(length, (size_t)1 << 14) {
        EACH_PLACEMENT(p, length + 1, 1) {
            char *const s = STRING_A(p, length + 1);
            const unsigned letters = 1 + p.a % 3, period = p.b % 5 ? 0 : 1 + (unsigned)(p.a % 7);
            fill_string(SOURCE, s, length, 0);
            for (size_t i = 0; i < length; i++) {
                s[i] = period && i >= period ? s[i - period] : (char)("aA\xc1"[random_number() % letters]);
            }
            const size_t longest = random_number() % 3 == 0 && length ? length
                                   : length < 12                      ? length + 1
                                                                      : 12;
            const size_t count = random_number() % (longest + 1);
            char *const needle = STRING_B(p, TARGET, count + 1);
            fill_string(TARGET, needle, count, 0);
            if (count <= length) {
                memcpy(needle, s + random_number() % (length - count + 1), count);
            }
            if (count && random_number() % 2) {
                needle[random_number() % count] = "aAb\xc1\xe1"[random_number() % 5];
            }
            const char *wanted = oracle_strstr(s, needle, folded);
            if (folded && length == 0) {
                wanted = NULL; /* as musl has it */
            }
            const char *const result = ours(s, needle);
            expect(row, result == wanted, "length %zu, needle %zu at %p, %p: %p, not %p", length, count,
                   (void *)s, (void *)needle, (void *)result, (void *)wanted);
        }
    }
    /* What makes a filter by two bytes quadratic: it must end, and be right. */
    const size_t length = (size_t)1 << 22, count = (size_t)1 << 15;
    char *const s = (char *)arenas[SOURCE].end - length - 1, *const needle = (char *)arenas[TARGET].begin;
    memset(s, 'a', length);
    s[length] = 0;
    memset(needle, 'a', count);
    needle[count] = 0;
    needle[count / 2] = 'b';
    expect(row, ours(s, needle) == NULL, "found what is not there");
    s[length - count + count / 2] = 'b';
    expect(row, ours(s, needle) == s + length - count, "missed the end");
}

/* The oracle is the check's own business here: names are all that a row adds. */
#define STRING_ROW(function, check) {#function, check, (any_function *)brawn_##function, NULL}

const struct row string_rows[] = {
    STRING_ROW(strlen, check_length),
    STRING_ROW(strnlen, check_limited_length),
    STRING_ROW(wcslen, check_length),
    STRING_ROW(wcsnlen, check_limited_length),
    STRING_ROW(strchr, check_character),
    STRING_ROW(strchrnul, check_character),
    STRING_ROW(__strchrnul, check_character),
    STRING_ROW(strrchr, check_character),
    STRING_ROW(wcschr, check_wide_character),
    STRING_ROW(wcsrchr, check_wide_character),
    STRING_ROW(strcmp, check_order),
    STRING_ROW(strncmp, check_order),
    STRING_ROW(strcasecmp, check_order),
    STRING_ROW(strncasecmp, check_order),
    STRING_ROW(strcasecmp_l, check_order),
    STRING_ROW(__strcasecmp_l, check_order),
    STRING_ROW(strncasecmp_l, check_order),
    STRING_ROW(__strncasecmp_l, check_order),
    STRING_ROW(wcscmp, check_wide_order),
    STRING_ROW(wcsncmp, check_wide_order),
    STRING_ROW(strcpy, check_copy),
    STRING_ROW(stpcpy, check_copy),
    STRING_ROW(__stpcpy, check_copy),
    STRING_ROW(strncpy, check_copy),
    STRING_ROW(stpncpy, check_copy),
    STRING_ROW(__stpncpy, check_copy),
    STRING_ROW(strcat, check_copy),
    STRING_ROW(strncat, check_copy),
    STRING_ROW(strlcpy, check_copy),
    STRING_ROW(strlcat, check_copy),
    STRING_ROW(wcscpy, check_wide_copy),
    STRING_ROW(strdup, check_duplicate),
    STRING_ROW(strndup, check_duplicate),
    STRING_ROW(wcsdup, check_wide_duplicate),
    STRING_ROW(strspn, check_set),
    STRING_ROW(strcspn, check_set),
    STRING_ROW(strpbrk, check_set),
    STRING_ROW(strsep, check_fields),
    STRING_ROW(strtok_r, check_fields),
    STRING_ROW(strstr, check_search),
    STRING_ROW(strcasestr, check_search),
    {0},
};
