/* The kit's functions of characters beside musl's own: for all characters, for numbers that are none, in every state of the locale. */

#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

wint_t kit_towlower(wint_t), kit_towupper(wint_t);
int kit_iswspace(wint_t), kit_isalnum(int), kit_ispunct(int), kit_isxdigit(int);
int kit___iswspace_l(wint_t, locale_t), kit___isalnum_l(int, locale_t), kit___ispunct_l(int, locale_t);
int kit___isxdigit_l(int, locale_t);
int kit_wcswidth(const wchar_t *, size_t);
char *kit_setlocale(int, const char *);

static unsigned long behind;

wint_t __brawn_musl_kit_towlower(wint_t c) {
    behind++;
    return towlower(c);
}
wint_t __brawn_musl_kit_towupper(wint_t c) {
    return towupper(c);
}
char *__brawn_musl_kit_setlocale(int category, const char *name) {
    return setlocale(category, name);
}

#undef isalnum
#undef ispunct
#undef isxdigit

static void fail(const char *what, unsigned c) {
    printf("%s of 0x%x differs\n", what, c);
    exit(1);
}

static void one(unsigned c) {
    if (towlower(c) != kit_towlower(c)) {
        fail("towlower", c);
    }
    if (towupper(c) != kit_towupper(c)) {
        fail("towupper", c);
    }
    const int space = kit_iswspace(c) != 0;
    if ((iswspace(c) != 0) != space || (kit___iswspace_l(c, 0) != 0) != space) {
        fail("iswspace", c);
    }
    const int i = (int)c;
    /* Of what is no byte, musl says no, and zig's own functions look at the lowest byte. */
    const int byte = c < 0x100 || i == EOF;
    if (!(byte && isalnum(i)) != !kit_isalnum(i) || !kit_isalnum(i) != !kit___isalnum_l(i, 0)) {
        fail("isalnum", c);
    }
    if (!(byte && ispunct(i)) != !kit_ispunct(i) || !kit_ispunct(i) != !kit___ispunct_l(i, 0)) {
        fail("ispunct", c);
    }
    if (!(byte && isxdigit(i)) != !kit_isxdigit(i) || !kit_isxdigit(i) != !kit___isxdigit_l(i, 0)) {
        fail("isxdigit", c);
    }
    const wchar_t text[4] = {'a', (wchar_t)c, 0x4e00, 0};
    for (size_t n = 0; n < 6; n++) {
        if (wcswidth(text, n) != kit_wcswidth(text, n)) {
            fail("wcswidth", c);
        }
    }
}

static void asked(void) {
    for (int category = -2; category < 10; category++) {
        const char *const theirs = setlocale(category, NULL);
        char copy[256] = "none";
        if (theirs != NULL) {
            strcpy(copy, theirs);
        }
        const char *const ours = kit_setlocale(category, NULL);
        if (strcmp(copy, ours == NULL ? "none" : ours) != 0) {
            printf("setlocale of %d: %s, not %s\n", category, ours, copy);
            exit(1);
        }
    }
}

static void locales(void) {
    static const char *const NAMES[] = {"C", "C.UTF-8", "de_DE.UTF-8", "POSIX", ""};
    asked();
    for (int i = 0; i < 200; i++) {
        const char *const name = NAMES[rand() % 5];
        const int category = rand() % 3 == 0 ? LC_ALL : rand() % 6;
        if (i % 2 == 0 ? kit_setlocale(category, name) == NULL : setlocale(category, name) == NULL) {
            printf("setlocale of %d to %s failed\n", category, name);
            exit(1);
        }
        asked();
    }
}

static void *in_a_thread(void *nothing) {
    locales();
    return nothing;
}

int main(int argc, char **argv) {
    for (unsigned c = 0; c < 0x120000; c++) {
        one(c);
    }
    uint64_t seed = 1;
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1000); i++) {
        seed = seed * 6364136223846793005 + 1;
        one((unsigned)(seed >> 32));
    }
    for (int i = -300; i < 300; i++) {
        one((unsigned)i);
    }
    locales();
    pthread_t thread;
    if (pthread_create(&thread, NULL, in_a_thread, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        return 1;
    }
    printf("all characters are the same, %lu of them by the function behind\n", behind);
    return 0;
}
