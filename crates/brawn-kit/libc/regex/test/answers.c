/*
 * The kit's regcomp, regexec and regfree beside musl's own, on expressions and texts made by chance: errors,
 * re_nsub, answers and every submatch. answers COUNT [SEED]: so many pairs of an expression and a text.
 */

#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int kit_regcomp(regex_t *preg, const char *pattern, int cflags);
int kit_regexec(const regex_t *preg, const char *text, size_t nmatch, regmatch_t *pmatch, int eflags);
void kit_regfree(regex_t *preg);

static _Atomic long compiled_behind, matched_behind;

int __brawn_musl_regcomp(regex_t *preg, const char *pattern, int cflags) {
    compiled_behind++;
    return regcomp(preg, pattern, cflags);
}

int __brawn_musl_regexec(const regex_t *preg, const char *text, size_t nmatch, regmatch_t *pmatch,
                         int eflags) {
    matched_behind++;
    return regexec(preg, text, nmatch, pmatch, eflags);
}

void __brawn_musl_regfree(regex_t *preg) {
    regfree(preg);
}

static uint64_t state = 88172645463325252;

static unsigned chance(unsigned below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 20) % below);
}

static const char *any_of(const char *const *list, unsigned count) {
    return list[chance(count)];
}
#define ANY(...)                                                                                             \
    any_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static char pattern[512];
static size_t size;

static void put(const char *s) {
    const size_t n = strlen(s);
    if (size + n < sizeof pattern - 64) {
        memcpy(pattern + size, s, n + 1);
        size += n;
    }
}

static void bracket(void) {
    put("[");
    if (chance(4) == 0) {
        put("^");
    }
    if (chance(20) == 0) {
        put("]");
    }
    for (unsigned i = 1 + chance(3); i > 0; i--) {
        switch (chance(8)) {
        case 0:
            put(ANY("[:alpha:]", "[:digit:]", "[:upper:]", "[:space:]", "[:alnum:]", "[:punct:]", "[:lower:]",
                    "[:xdigit:]", "[:print:]", "[:cntrl:]", "[:graph:]", "[:blank:]"));
            break;
        case 1:
            put(ANY("a-c", "A-C", "0-9", "a-z", "X-f", "c-a", "!-~", "b-b", "--a"));
            break;
        case 2:
            put(ANY("-", ".", "*", "\\", "^", "\xc3\xa9", "[", "\n", "[.a.]", "[=a=]", "[:foo:]", "[:"));
            break;
        default:
            put(ANY("a", "b", "c", "A", "1", "x", " "));
        }
    }
    if (chance(60) != 0) {
        put("]");
    }
}

static void expression(int flags, unsigned depth) {
    const int ere = flags & REG_EXTENDED;
    const char *const open = ere ? "(" : "\\(", *const close = ere ? ")" : "\\)",
                      *const or = ere ? "|" : "\\|";
    for (unsigned branch = 0; branch < 3; branch++) {
        if (branch > 0) {
            if (chance(4) != 0) {
                break;
            }
            put(or);
        }
        for (unsigned i = chance(4) + (chance(16) != 0); i > 0; i--) {
            switch (chance(24)) {
            case 0:
                put("^");
                break;
            case 1:
                put("$");
                break;
            case 2:
                put(ANY("\\b", "\\B", "\\<", "\\>", "\\w", "\\W", "\\d", "\\s", "\\S", "\\D", "\\n", "\\t",
                        "\\.", "\\e", "\\x41", "\\+", "\\?", "\\|", "\\*", "\\{", "\\"));
                break;
            case 3:
            case 4:
                bracket();
                break;
            case 5:
            case 6:
                put(".");
                break;
            case 7:
                put(ANY("\xc3\xa9", "\xe4\xb8\xad", "\xff", "\n", "{", "}", "]", ")", "-", "*", "+", "{1}"));
                break;
            case 8:
            case 9:
            case 10:
            case 11:
            case 12:
                if (depth < 4) {
                    put(open);
                    expression(flags, depth + 1);
                    put(close);
                    break;
                }
                /* fall through */
            default:
                put(ANY("a", "b", "c", "a", "b", "A", "1", " ", "_", "ab", "abc"));
            }
            while (chance(3) == 0) {
                const unsigned which = chance(12);
                if (which < 4) {
                    put("*");
                } else if (which < 7) {
                    put(ere ? "+" : "\\+");
                } else if (which < 9) {
                    put(ere ? "?" : "\\?");
                } else {
                    put(ere ? "{" : "\\{");
                    put(ANY("2", "1", "0,1", "1,2", "2,", "0,", "1,", "3", "2,4", "0,3", "0", ",2", "1,3",
                            "2,1", "x"));
                    put(ere ? "}" : "\\}");
                }
            }
        }
    }
}

/* A text that ends where its page does; the next one cannot be read. */
static char *page;
enum { ROOM = 4096 };

static const char *text_of(unsigned most) {
    static const char *const PARTS[] = {"a",  "b",  "c",  "a",   "b",      "ab",       "abc",
                                        "A",  "B",  "1",  "12",  " ",      "_",        "x",
                                        "\n", ".",  "-",  "d",   "abcabc", "aaaa",     "Abc ",
                                        "C",  "\t", "b1", "cab", "ba",     "\xc3\xa9", "\xe4\xb8\xad"};
    static const char *const BROKEN[] = {
        "\xff", "\xc3", "\xe4\xb8", "\xf0\x9f\x98\x80", "\xed\xa0\x80", "\xe0\x9f\xbf", "\xf4\x90\x80\x80"};
    char text[1024];
    size_t length = 0;
    /* Mostly ASCII; then valid UTF-8; then anything. */
    const unsigned kind = chance(8), parts = kind < 5 ? 26 : kind < 7 ? 28 : 35;
    const unsigned plain = chance(4) == 0 ? chance(600) : 0;
    for (unsigned i = chance(4) == 0 ? chance(most) : chance(12); i > 0; i--) {
        const unsigned which = chance(parts);
        const char *part = which < 28 ? PARTS[which] : BROKEN[which - 28];
        memcpy(text + length, part, strlen(part));
        length += strlen(part);
        if (length > 400) {
            break;
        }
    }
    if (plain > 0) {
        const size_t at = chance(2) ? 0 : length;
        memmove(text + at + plain, text + at, length - at);
        for (unsigned i = 0; i < plain; i++) {
            text[at + i] = "xyz tuvw"[chance(8)];
        }
        length += plain;
    }
    char *to = page + ROOM - length - 1;
    memcpy(to, text, length);
    to[length] = 0;
    return to;
}

static long wrong, tried, matches, musls_errors;

static void show(const char *what, const char *text, int cflags, int eflags) {
    wrong++;
    printf("%s: pattern \"", what);
    for (const char *c = pattern; *c; c++) {
        printf(*c < 32 || *c > 126 ? "\\x%02x" : "%c", (unsigned char)*c);
    }
    printf("\" cflags %d eflags %d locale %d text \"", cflags, eflags, (int)MB_CUR_MAX);
    for (const char *c = text; *c; c++) {
        printf(*c < 32 || *c > 126 ? "\\x%02x" : "%c", (unsigned char)*c);
    }
    printf("\"\n");
    if (wrong > 20) {
        exit(1);
    }
}

enum { SUBMATCHES = 12 };

/*
 * musl may replace the leftmost match by one of two ways to end a later one. Is it so that it finds ours, if the text is
 * no more than that?
 */
static int musl_errs(const regex_t *musls, int cflags, const char *text, const regmatch_t *theirs,
                     const regmatch_t *ours, int eflags) {
    if (ours->rm_so > theirs->rm_so || (ours->rm_so == theirs->rm_so && ours->rm_eo <= theirs->rm_eo)) {
        return 0;
    }
    char part[1024];
    const size_t length = (size_t)(ours->rm_eo - ours->rm_so);
    memcpy(part, text + ours->rm_so, length);
    part[length] = 0;
    if (ours->rm_so > 0) {
        eflags |= REG_NOTBOL;
        if (cflags & REG_NEWLINE && text[ours->rm_so - 1] == '\n') {
            eflags &= ~REG_NOTBOL;
        }
    }
    if (text[ours->rm_eo] != 0) {
        eflags |= REG_NOTEOL;
        if (cflags & REG_NEWLINE && text[ours->rm_eo] == '\n') {
            eflags &= ~REG_NOTEOL;
        }
    }
    regmatch_t found;
    return regexec(musls, part, 1, &found, eflags) == 0 && found.rm_so == 0 &&
           found.rm_eo == (regoff_t)length;
}

static void compare(const regex_t *musls, const regex_t *ours, int cflags, const char *text, size_t nmatch,
                    int eflags) {
    regmatch_t theirs[SUBMATCHES], found[SUBMATCHES];
    memset(theirs, 0x5a, sizeof theirs);
    memset(found, 0x5a, sizeof found);
    const int answer = regexec(musls, text, nmatch, theirs, eflags);
    const int our_answer = kit_regexec(ours, text, nmatch, found, eflags);
    tried++;
    matches += answer == 0;
    if (answer != our_answer) {
        printf("%d, musl %d: ", our_answer, answer);
        show("answer", text, cflags, eflags);
    } else if (memcmp(theirs, found, sizeof found) != 0) {
        if (musl_errs(musls, cflags, text, &theirs[0], &found[0], eflags)) {
            musls_errors++;
            return;
        }
        for (size_t i = 0; i < nmatch; i++) {
            printf("(%td,%td) ", found[i].rm_so, found[i].rm_eo);
        }
        printf("musl ");
        for (size_t i = 0; i < nmatch; i++) {
            printf("(%td,%td) ", theirs[i].rm_so, theirs[i].rm_eo);
        }
        show("submatches", text, cflags, eflags);
    }
}

static void some_texts(long count) {
    int cflags = (int)chance(16);
    size = 0;
    pattern[0] = 0;
    expression(cflags, 0);
    if (strstr(pattern, "\\1")) {
        return; /* musl may take for ever */
    }
    setlocale(LC_CTYPE, chance(2) ? "C" : "C.UTF-8");
    regex_t musls, ours;
    memset(&musls, 0xa5, sizeof musls);
    memset(&ours, 0xa5, sizeof ours);
    const int error = regcomp(&musls, pattern, cflags), our_error = kit_regcomp(&ours, pattern, cflags);
    if (error != our_error || (error == 0 && musls.re_nsub != ours.re_nsub)) {
        printf("%d, musl %d: ", our_error, error);
        show("regcomp", "", cflags, 0);
    }
    if (error != 0 || our_error != 0) {
        tried++;
        return;
    }
    for (long i = 0; i < count; i++) {
        if (chance(3) == 0) {
            setlocale(LC_CTYPE, chance(2) ? "C" : "C.UTF-8");
        }
        const size_t nmatch = chance(4) == 0 ? 0 : chance(3) == 0 ? 1 : chance(SUBMATCHES + 1);
        compare(&musls, &ours, cflags, text_of(60), nmatch, chance(4) == 0 ? (int)chance(4) : 0);
    }
    regfree(&musls);
    kit_regfree(&ours);
}

/* Several threads make the states of one expression, and find what musl finds. */
static regex_t shared, shared_musls;
static char long_text[1 << 14];

static void *search(void *unused) {
    (void)unused;
    for (int i = 0; i < 200; i++) {
        regmatch_t ours[4], theirs[4];
        const char *text = long_text + i * 64;
        const int answer = kit_regexec(&shared, text, 4, ours, 0);
        if (answer != regexec(&shared_musls, text, 4, theirs, 0) ||
            (answer == 0 && memcmp(ours, theirs, sizeof ours) != 0)) {
            return "differs";
        }
    }
    return NULL;
}

static void threads(void) {
    static const char *const EXPRESSIONS[] = {"(a|b)*c(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)q",
                                              "([a-z]+)=([0-9]+);", "[ab]+c[ab]{2,9}q", "\\<b[abc]*q\\>"};
    for (unsigned e = 0; e < 4; e++) {
        for (size_t i = 0; i + 1 < sizeof long_text; i++) {
            long_text[i] = "aabbbcabbaab q=1;"[chance(chance(9) == 0 ? 17 : 11)];
        }
        if (kit_regcomp(&shared, EXPRESSIONS[e], REG_EXTENDED) != 0 ||
            regcomp(&shared_musls, EXPRESSIONS[e], REG_EXTENDED) != 0) {
            exit(2);
        }
        pthread_t thread[4];
        for (int i = 0; i < 4; i++) {
            if (pthread_create(&thread[i], NULL, search, NULL) != 0) {
                exit(2);
            }
        }
        for (int i = 0; i < 4; i++) {
            void *result;
            pthread_join(thread[i], &result);
            if (result != NULL) {
                strcpy(pattern, EXPRESSIONS[e]);
                show("threads", "", REG_EXTENDED, 0);
            }
        }
        kit_regfree(&shared);
        regfree(&shared_musls);
    }
}

/* More states than are kept, so that matches are found by positions. */
static void many_states(unsigned times) {
    static const char *const EXPRESSIONS[] = {"b*a[ab]{9}c", "((a|b)*a(a|b){8})c", "[bc]+a[abc]{8}(a|c)c"};
    setlocale(LC_CTYPE, "C");
    for (unsigned e = 0; e < 3; e++) {
        regex_t musls, ours;
        strcpy(pattern, EXPRESSIONS[e]);
        if (regcomp(&musls, pattern, REG_EXTENDED) != 0 || kit_regcomp(&ours, pattern, REG_EXTENDED) != 0) {
            exit(2);
        }
        for (unsigned i = 0; i < times; i++) {
            const size_t length = chance(500);
            char *to = page + ROOM - length - 1;
            to[length] = 0;
            for (size_t j = 0; j < length; j++) {
                to[j] = chance(40) == 0 ? 'x' : chance(30) == 0 ? 'c' : "ab"[chance(2)];
            }
            compare(&musls, &ours, REG_EXTENDED, to, chance(4), 0);
        }
        regfree(&musls);
        kit_regfree(&ours);
    }
}

/* Expressions and texts that no chance makes: long, deep, with many states, and the rows that the suite measures. */
static void chosen(unsigned times) {
    static const char *const EXPRESSIONS[] = {
        "elephant|giraffe|crocodile",
        "([0-9]{4})-([0-9]{2})-([0-9]{2})",
        "^[A-Z][a-z]+:",
        "([a-z]+)=([a-z0-9]+);",
        "[a-z0-9._]+@[a-z0-9.]+\\.[a-z]{2,6}",
        "a.*z.*q",
        "^zzz.*$",
        "((a|b)*c){3}",
        "(a|b)*a(a|b){12}",
        "(a*)*b",
        "(x+x+)+y",
        "([a-c]*)([d-f]*)x?",
        "^(.*):(.*)$",
        "(((((((((((((((a)))))))))))))))",
        "(a{100}){2}",
        "[[:alpha:]_][[:alnum:]_]*",
        "\\bword\\b",
        "^$",
        "",
        "()",
        "(|a)+",
        "x{0,30}y",
        "a{0}b",
        "(ab|abcd)(cde)?",
        "a(.|\\n)*$",
        "q.*",
        "\\([a-z]\\)\\1\\1",
    };
    for (unsigned e = 0; e < sizeof EXPRESSIONS / sizeof *EXPRESSIONS; e++) {
        for (int cflags = 0; cflags < 16; cflags++) {
            strcpy(pattern, EXPRESSIONS[e]);
            regex_t musls, ours;
            const int error = regcomp(&musls, pattern, cflags),
                      our_error = kit_regcomp(&ours, pattern, cflags);
            if (error != our_error) {
                show("regcomp", "", cflags, 0);
            }
            if (error != 0 || our_error != 0) {
                continue;
            }
            for (unsigned i = 0; i < times; i++) {
                static const char *const PARTS[] = {
                    "elephant",
                    "GIRAFFE ",
                    "2024-03-12",
                    "Name: x",
                    "key=val1;",
                    "me@there.example.org",
                    "a",
                    "z",
                    "q",
                    "\nzzz ok\n",
                    "abc",
                    "aacbbc",
                    "xxxxxxxxxxxxxxxx",
                    "y",
                    "word",
                    "aaaaaaaaaaaaaaaab",
                    " ",
                    "abcdcde",
                    "9",
                    "\xc3\xa9t\xc3\xa9",
                };
                char text[2048] = "";
                for (unsigned j = chance(40); j > 0; j--) {
                    strcat(text, PARTS[chance(i % 4 == 0 ? 20 : 19)]);
                }
                setlocale(LC_CTYPE, chance(2) ? "C" : "C.UTF-8");
                char *to = page + ROOM - strlen(text) - 1;
                strcpy(to, text);
                compare(&musls, &ours, cflags, to, chance(SUBMATCHES + 1), (int)chance(4));
            }
            regfree(&musls);
            kit_regfree(&ours);
        }
    }
}

static void too_slow(int signal) {
    (void)signal;
    write(2, pattern, strlen(pattern));
    write(2, "\n", 1);
    _exit(3);
}

int main(int argc, char **argv) {
    const long count = argc > 1 ? atol(argv[1]) : 100000;
    for (int i = argc > 2 ? atoi(argv[2]) : 0; i > 0; i--) {
        chance(2);
        state += 0x9e3779b97f4a7c15;
    }
    page = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page + ROOM, 4096, PROT_NONE) != 0) {
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGALRM, too_slow);
    alarm(argc > 3 ? (unsigned)atoi(argv[3]) : 600);
    chosen(count < 100000 ? 4 : 60);
    many_states(count < 100000 ? 40 : 400);
    while (tried < count) {
        some_texts(8);
    }
    threads();
    printf("%ld errors of musl; ", musls_errors);
    printf("%ld pairs, %ld matches; by the functions behind: %ld compiled, %ld matched\n", tried, matches,
           compiled_behind, matched_behind);
    return wrong != 0;
}
