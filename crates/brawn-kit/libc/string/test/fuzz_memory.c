/* What the fuzzer does with the mem and wmem families. */
#include "functions_memory.h"
#include "fuzz.h"
#include "oracle_memory.h"

#include <string.h>

static int sign(int value) {
    return (value > 0) - (value < 0);
}

static void find(struct input *input) {
    const int c = (int)take_number(input, 1024);
    size_t n = 5000;
    unsigned char *const s = take_operand(input, 0, &n);
    void *const found = oracle_memchr(s, c, n);
    same(brawn_memchr(s, c, n) == found, "memchr");
    same(brawn_memrchr(s, c, n) == oracle_memrchr(s, c, n), "memrchr");
    if (found) {
        same(brawn_memchr(s, c, SIZE_MAX) == found, "memchr without an end");
    }
}

static void find_wide(struct input *input) {
    size_t n = 4 * take_number(input, 1200);
    unsigned char *const s = take_operand(input, 0, &n);
    n /= 4;
    if ((uintptr_t)s % 4 == 0 && n) {
        const wchar_t c = ((wchar_t *)(void *)s)[take_number(input, n)];
        same(brawn_wmemchr((wchar_t *)(void *)s, c, n) == oracle_wmemchr((wchar_t *)(void *)s, c, n),
             "wmemchr");
    }
}

static void compare(struct input *input) {
    const size_t change = take_number(input, 5000);
    const uint8_t flip = (uint8_t)take_number(input, 256);
    size_t n = 5000;
    unsigned char *const a = take_operand(input, 0, &n);
    unsigned char *room, *unused;
    take_room(input, n, &room, &unused);
    if (n) {
        memcpy(room, a, n);
        room[change % n] ^= flip;
    }
    const int wanted = oracle_memcmp(a, room, n);
    same(sign(brawn_memcmp(a, room, n)) == wanted, "memcmp");
    same(!brawn_bcmp(a, room, n) == !wanted, "bcmp");
    if ((uintptr_t)a % 4 == 0 && (uintptr_t)room % 4 == 0) {
        same(brawn_wmemcmp((wchar_t *)(void *)a, (wchar_t *)(void *)room, n / 4) ==
                 oracle_wmemcmp((wchar_t *)(void *)a, (wchar_t *)(void *)room, n / 4),
             "wmemcmp");
    }
}

static void copy(struct input *input) {
    const unsigned which = (unsigned)take_number(input, 4);
    const int c = (int)take_number(input, 256);
    size_t n = 5000;
    unsigned char *const source = take_operand(input, 0, &n);
    unsigned char *room, *expected;
    take_room(input, n, &room, &expected);
    if (which == 0) {
        same(brawn_memcpy(room, source, n) == room, "memcpy");
        oracle_copy(expected, source, n);
    } else if (which == 1) {
        same(brawn_mempcpy(room, source, n) == room + n, "mempcpy");
        oracle_copy(expected, source, n);
    } else if (which == 2) {
        const unsigned char *const end = oracle_memccpy(expected, source, c, n);
        const unsigned char *const got = brawn_memccpy(room, source, c, n);
        same(end ? got && got - room == end - expected : !got, "memccpy result");
    } else {
        brawn_swab(source, room, (ssize_t)n);
        oracle_swab(source, expected, (ptrdiff_t)n);
    }
    same_rooms("copy");
}

static void move(struct input *input) {
    size_t span = 5000;
    const size_t from = take_number(input, span), to = take_number(input, span),
                 wanted = take_number(input, span);
    unsigned char *const data = take_operand(input, 0, &span);
    unsigned char *room, *expected;
    take_room(input, span, &room, &expected);
    if (span) {
        memcpy(room, data, span);
        memcpy(expected, data, span);
        const size_t a = from % span, b = to % span, most = span - (a > b ? a : b), n = wanted % (most + 1);
        same(brawn_memmove(room + b, room + a, n) == room + b, "memmove result");
        oracle_copy(expected + b, expected + a, n);
        same_rooms("memmove");
    }
}

static void set(struct input *input) {
    const int c = (int)take_number(input, 1024);
    const size_t n = take_number(input, 5000);
    unsigned char *room, *expected;
    take_room(input, n, &room, &expected);
    same(brawn_memset(room, c, n) == room, "memset result");
    oracle_set(expected, (unsigned char)c, n);
    same_rooms("memset");
    if ((uintptr_t)room % 4 == 0 && (uintptr_t)expected % 4 == 0) {
        brawn_wmemset((wchar_t *)(void *)room, c * 0x10001, n / 4);
        for (size_t i = 0; i < n / 4; i++) {
            same(((wchar_t *)(void *)room)[i] == c * 0x10001, "wmemset");
        }
    }
}

static void search(struct input *input) {
    size_t length = take_number(input, 80);
    /* Few letters, or nothing is ever found. */
    const unsigned mask = (unsigned)take_number(input, 8);
    unsigned char *const needle = take_operand(input, 0, &length);
    size_t n = 5000;
    unsigned char *const s = take_operand(input, 1, &n);
    for (size_t i = 0; i < length; i++) {
        needle[i] &= (unsigned char)mask;
    }
    for (size_t i = 0; i < n; i++) {
        s[i] &= (unsigned char)mask;
    }
    same(brawn_memmem(s, n, needle, length) == oracle_memmem(s, n, needle, length), "memmem");
}

const struct action memory_actions[] = {
    {"find", find},       {"find_wide", find_wide},
    {"compare", compare}, {"copy", copy},
    {"move", move},       {"set", set},
    {"search", search},   {0},
};
