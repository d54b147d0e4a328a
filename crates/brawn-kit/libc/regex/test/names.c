/*
 * The kit's fnmatch beside musl's own, on patterns and names made by chance. names COUNT: so many pairs.
 */

#define _GNU_SOURCE
#include <fnmatch.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int kit_fnmatch(const char *pattern, const char *text, int flags);

static long behind, wrong, tried, matches;

int __brawn_musl_fnmatch(const char *pattern, const char *text, int flags) {
    behind++;
    return fnmatch(pattern, text, flags);
}

static uint64_t state = 88172645463325252;

static unsigned chance(unsigned below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 20) % below);
}

static char pattern[256];
/* Names and patterns end where their page does; the next one cannot be read. */
static char *page;
enum { ROOM = 4096 };

static void put(const char *s) {
    strcat(pattern, s);
}

#define ANY(...)                                                                                             \
    ((const char *const[]){__VA_ARGS__}[chance(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))])

static void some_names(void) {
    pattern[0] = 0;
    for (unsigned i = chance(8); i > 0; i--) {
        switch (chance(12)) {
        case 0:
        case 1:
        case 2:
            put("*");
            break;
        case 3:
            put("?");
            break;
        case 4:
            put(ANY("/", "\\/", ".", "\\.", "\\a", "\\*", "\\", "**", "/*"));
            break;
        case 5:
            if (chance(2) == 0) {
                put(ANY("[a-c]", "[!a]", "[A-b]", "[a-]", "[-b]", "[!-a]", "[c-a]", "[*-z]", "[]-a]", "[--a]",
                        "[^]a]", "[a\\]", "[.-a]", "[", "[a/b]", "[[:alpha:]]", "\xc3\xa9", "\xff", "[]",
                        "[^]]"));
                break;
            }
            /* fall through */
        default:
            put(ANY("a", "b", "c", "A", "ab", ".", "/"));
        }
    }
    setlocale(LC_CTYPE, chance(2) ? "C" : "C.UTF-8");
    for (unsigned i = 0; i < 4; i++) {
        static const char *const PARTS[] = {"a", "b",   "c", "A",        "ab",  ".",
                                            "/", "abc", "*", "\xc3\xa9", "\xff"};
        char text[64] = "";
        const unsigned parts = chance(4) == 0 ? 11 : 8;
        for (unsigned j = chance(9); j > 0; j--) {
            strcat(text, PARTS[chance(parts)]);
        }
        char *to = page + ROOM - strlen(text) - 1;
        strcpy(to, text);
        int flags = (int)chance(32);
        if (strstr(pattern, "\xff")) {
            flags &= ~FNM_PATHNAME; /* musl's would not return */
        }
        const int answer = fnmatch(pattern, to, flags);
        tried++;
        matches += answer == 0;
        if (answer != kit_fnmatch(pattern, to, flags)) {
            wrong++;
            printf("'%s' and '%s', flags %d, locale %d: not musl's %d\n", pattern, to, flags, (int)MB_CUR_MAX,
                   answer);
        }
    }
}

int main(int argc, char **argv) {
    const long count = argc > 1 ? atol(argv[1]) : 100000;
    page = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page + ROOM, 4096, PROT_NONE) != 0) {
        return 2;
    }
    while (tried < count && wrong < 20) {
        some_names();
    }
    printf("%ld pairs, %ld matches; %ld by the function behind\n", tried, matches, behind);
    return wrong != 0;
}
