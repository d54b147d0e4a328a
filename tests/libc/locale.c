// newlocale, duplocale, freelocale, uselocale, setlocale and iconv: libc allocates locale objects inside
// and frees those, and only those, that it has allocated.
#include "check.h"
#include <ctype.h>
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <wchar.h>

enum { ROUNDS = 60000, THREADS = 4 };

static void objects(void) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    CHECK(c != (locale_t)0 && utf8 != (locale_t)0, "newlocale failed");
    locale_t copy = duplocale(utf8);
    CHECK(copy != (locale_t)0, "duplocale failed");
    freelocale(utf8);
    locale_t mixed = newlocale(LC_CTYPE_MASK, "C", copy);
    CHECK(mixed != (locale_t)0, "newlocale over an object failed");
    CHECK(isalpha_l('a', mixed) && !isalpha_l('1', mixed), "isalpha_l is wrong");
    locale_t before = uselocale(mixed);
    CHECK(strcmp(nl_langinfo(RADIXCHAR), ".") == 0, "the radix character is \"%s\"", nl_langinfo(RADIXCHAR));
    CHECK(uselocale((locale_t)0) == mixed, "uselocale forgot the locale");
    locale_t of_global = duplocale(LC_GLOBAL_LOCALE);
    CHECK(of_global != (locale_t)0, "duplocale of the global locale failed");
    uselocale(before);
    freelocale(of_global);
    freelocale(mixed);
    freelocale(c);
}

static void *objects_in_thread(void *unused) {
    (void)unused;
    for (int i = 0; i < 500; i++)
        objects();
    return NULL;
}

#ifndef __GLIBC__ // musl takes any name; every new one is a map that libc allocates and keeps
static void named_locales(void) {
    char name[32];
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "xx_%03d.UTF-8", i);
        CHECK(setlocale(LC_MESSAGES, name) != NULL, "setlocale(\"%s\") failed", name);
        CHECK(strcmp(setlocale(LC_MESSAGES, NULL), name) == 0, "the locale is not \"%s\"", name);
        locale_t object = newlocale(LC_MESSAGES_MASK, name, (locale_t)0);
        CHECK(object != (locale_t)0, "newlocale(\"%s\") failed", name);
        freelocale(object);
    }
    CHECK(setlocale(LC_ALL, "C") != NULL, "setlocale(\"C\") failed");
}
#endif

static void multibyte(void) {
    CHECK(setlocale(LC_ALL, "C.UTF-8") != NULL, "setlocale(\"C.UTF-8\") failed");
    wchar_t wide[8];
    CHECK(mbstowcs(wide, "a\xc3\xa9\xe2\x82\xac", 8) == 3 && wide[1] == 0xE9 && wide[2] == 0x20AC,
          "mbstowcs is wrong");
    wchar_t *copy = wcsdup(wide);
    CHECK(copy != NULL && wcscmp(copy, wide) == 0, "wcsdup is wrong");
    free(copy);
    CHECK(setlocale(LC_ALL, "C") != NULL, "setlocale(\"C\") failed");
}

// A converter with a state of its own (ISO-2022-JP) is an allocation; the others are plain numbers.
static void converters(void) {
#ifndef __GLIBC__ // a static glibc needs its converters as shared libraries
    for (int i = 0; i < 200; i++) {
        iconv_t converter = iconv_open("UTF-8", "ISO-2022-JP");
        CHECK(converter != (iconv_t)-1, "iconv_open failed");
        char from[] = "\x1b$B$\"\x1b(B!", to[32] = "";
        char *source = from, *target = to;
        size_t source_left = strlen(from), target_left = sizeof to - 1;
        CHECK(iconv(converter, &source, &source_left, &target, &target_left) != (size_t)-1, "iconv failed");
        CHECK(strcmp(to, "\xe3\x81\x82!") == 0, "iconv gave \"%s\"", to);
        CHECK(iconv_close(converter) == 0, "iconv_close failed");
    }
#endif
}

int main(int argc, char **argv) {
    int rounds = ROUNDS * scale_of(argc, argv);
    watchdog(120);
    struct growth growth = {0};
    watched_step = "locale objects";
    for (int i = 0; i < rounds; i++) {
        objects();
        growth_sample(&growth, i, rounds);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 512), "locale objects");
    watched_step = "locale objects in threads";
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, objects_in_thread, NULL) == 0, "no thread");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
#ifndef __GLIBC__
    watched_step = "named locales";
    named_locales();
#endif
    watched_step = "multibyte and converters";
    multibyte();
    converters();
    return passed();
}
