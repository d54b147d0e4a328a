/* The rows of the str and wcs families. The operands' bytes are letters from a to y, over and over. */
#define _GNU_SOURCE
#include "bench.h"

#define S ((char *)a)
#define O ((char *)b)
#define T ((char *)t)
#define WS ((wchar_t *)(void *)a)
#define WO ((wchar_t *)(void *)b)
#define WT ((wchar_t *)(void *)t)
#define FIRST (t[0])

BENCH(size_t, strlen, (const char *), (S), r)
BENCH(size_t, strnlen, (const char *, size_t), (S, n), r)
BENCH_AS(strnlen_less, size_t, strnlen, (const char *, size_t), (S, n + 100), r)
BENCH(char *, strchr, (const char *, int), (S, ABSENT), r)
BENCH(char *, strchrnul, (const char *, int), (S, ABSENT), r)
BENCH(char *, strrchr, (const char *, int), (S, ABSENT), r)
/* Found, and more than once. */
BENCH_AS(strrchr_many, char *, strrchr, (const char *, int), (S, 'e'), r)
BENCH(int, strcmp, (const char *, const char *), (S, O), r)
BENCH(int, strncmp, (const char *, const char *, size_t), (S, O, n), r)
BENCH(int, strcasecmp, (const char *, const char *), (S, O), r)
BENCH(int, strncasecmp, (const char *, const char *, size_t), (S, O, n), r)
BENCH(char *, strcpy, (char *, const char *), (T, S), FIRST)
BENCH(char *, stpcpy, (char *, const char *), (T, S), r)
BENCH(char *, strncpy, (char *, const char *, size_t), (T, S, n), FIRST)
BENCH_AS(strncpy_fill, char *, strncpy, (char *, const char *, size_t), (T, S, n + 40), FIRST)
BENCH(char *, stpncpy, (char *, const char *, size_t), (T, S, n), r)
/* Behind nothing, so that the row's size is all there is to do. */
BENCH(char *, strcat, (char *, const char *), (((void)(t[0] = 0), T), S), FIRST)
BENCH(char *, strncat, (char *, const char *, size_t), (((void)(t[0] = 0), T), S, n), FIRST)
BENCH(size_t, strspn, (const char *, const char *), (S, "abcdefghijklmnopqrstuvwxyz"), r)
BENCH_AS(strspn_few, size_t, strspn, (const char *, const char *), (S + n, " \t\n"), r)
BENCH(size_t, strcspn, (const char *, const char *), (S, " \t\n"), r)
BENCH_AS(strcspn_two, size_t, strcspn, (const char *, const char *), (S, "!?"), r)
BENCH(char *, strpbrk, (const char *, const char *), (S, " \t\n"), r)
/* A needle that is not there, of letters that are; and one that is nearly there. */
BENCH(char *, strstr, (const char *, const char *), (S, "eae"), r)
BENCH_AS(strstr_long, char *, strstr, (const char *, const char *),
         (S, "abcdefghijklmnopqrstuvwxyabcdefghijklmnopqrstuvwxx"), r)
BENCH(char *, strcasestr, (const char *, const char *), (S, "EAE"), r)
BENCH(size_t, wcslen, (const wchar_t *), (WS), r)
BENCH(size_t, wcsnlen, (const wchar_t *, size_t), (WS, n), r)
BENCH(wchar_t *, wcschr, (const wchar_t *, wchar_t), (WS, ABSENT), r)
BENCH(wchar_t *, wcsrchr, (const wchar_t *, wchar_t), (WS, ABSENT), r)
BENCH(int, wcscmp, (const wchar_t *, const wchar_t *), (WS, WO), r)
BENCH(int, wcsncmp, (const wchar_t *, const wchar_t *, size_t), (WS, WO, n), r)
BENCH(wchar_t *, wcscpy, (wchar_t *, const wchar_t *), (WT, WS), FIRST)

const struct row string_rows[] = {
    ROW(strlen, 1, "memcpy"),       ROW(strnlen, 1, "memcpy"),
    ROW(strnlen_less, 1, "memcpy"), ROW(strchr, 1, "memcpy"),
    ROW(strchrnul, 1, "memcpy"),    ROW(strrchr, 1, "memcpy"),
    ROW(strrchr_many, 1, "memcpy"), ROW(strcmp, 1, "memcmp"),
    ROW(strncmp, 1, "memcmp"),      ROW(strcasecmp, 1, "memcmp"),
    ROW(strncasecmp, 1, "memcmp"),  ROW(strcpy, 1, "memcpy"),
    ROW(stpcpy, 1, "memcpy"),       ROW(strncpy, 1, "memcpy"),
    ROW(strncpy_fill, 1, "memcpy"), ROW(stpncpy, 1, "memcpy"),
    ROW(strcat, 1, "memcpy"),       ROW(strncat, 1, "memcpy"),
    ROW(strspn, 1, "memcpy"),       ROW(strspn_few, 1, "memcpy"),
    ROW(strcspn, 1, "memcpy"),      ROW(strcspn_two, 1, "memcpy"),
    ROW(strpbrk, 1, "memcpy"),      ROW(strstr, 1, "memcpy"),
    ROW(strstr_long, 1, "memcpy"),  ROW(strcasestr, 1, "memcpy"),
    ROW(wcslen, 4, "memcpy"),       ROW(wcsnlen, 4, "memcpy"),
    ROW(wcschr, 4, "memcpy"),       ROW(wcsrchr, 4, "memcpy"),
    ROW(wcscmp, 4, "memcmp"),       ROW(wcsncmp, 4, "memcmp"),
    ROW(wcscpy, 4, "memcpy"),       {0},
};
