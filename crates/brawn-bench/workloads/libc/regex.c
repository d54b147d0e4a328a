// Regular expressions: compiling them, and looking through 4 KiB of words.

#define _GNU_SOURCE
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>

#include "rows.h"

enum { SIZE = 4096 };

static char words[SIZE + 1], lines[64][96];

struct expression {
    const char *text;
    int flags;
    regex_t compiled;
};

static struct expression literal = {"elephant", REG_EXTENDED | REG_NOSUB},
                         alternative = {"elephant|giraffe|crocodile", REG_EXTENDED | REG_NOSUB},
                         classes = {"([0-9]{4})-([0-9]{2})-([0-9]{2})", REG_EXTENDED},
                         anchored = {"^[A-Z][a-z]+:", REG_EXTENDED | REG_NOSUB},
                         submatches = {"([a-z]+)=([a-z0-9]+);", REG_EXTENDED},
                         address = {"[a-z0-9._]+@[a-z0-9.]+\\.[a-z]{2,6}", REG_EXTENDED},
                         any_case = {"ELEPHANT", REG_EXTENDED | REG_NOSUB | REG_ICASE},
                         greedy = {"a.*z.*q", REG_EXTENDED | REG_NOSUB},
                         backward = {"\\([a-z]\\)\\1\\1\\1", 0},
                         by_line = {"^zzz.*$", REG_EXTENDED | REG_NEWLINE | REG_NOSUB},
                         nested = {"((a|b)*c){3}", REG_EXTENDED | REG_NOSUB};
static struct expression *const ALL[] = {&literal,  &alternative, &classes,  &anchored, &submatches, &address,
                                         &any_case, &greedy,      &backward, &by_line,  &nested};

static void prepare(void) {
    for (size_t i = 0; i < COUNT(ALL); i++)
        if (regcomp(&ALL[i]->compiled, ALL[i]->text, ALL[i]->flags) != 0)
            fail(ALL[i]->text);
    fill_words(words, SIZE, 8);
    for (int i = 0; i < 64; i++) {
        char word[16];
        fill_words(word, 8, 100 + (uint64_t)i);
        word[7] = 0;
        for (char *c = word; *c; c++)
            if (*c == ' ' || *c == '\n')
                *c = 'x';
        snprintf(lines[i], sizeof lines[i], "on 20%02d-%02d-%02d at 12:%02d user=%s; mail %s@example.org",
                 i % 30, 1 + i % 12, 1 + i % 28, i % 60, word, word);
    }
}

static uint64_t match(const struct expression *expression, const char *in) {
    regmatch_t places[4];
    memset(places, -1, sizeof places);
    if (regexec(&expression->compiled, in, 4, places, 0) != 0)
        return 1;
    uint64_t sum = 0;
    for (int i = 0; !(expression->flags & REG_NOSUB) && i < 4; i++)
        sum = mix(sum, (uint64_t)(places[i].rm_so * 1000 + places[i].rm_eo));
    return sum;
}

static uint64_t compile(const struct expression *expression) {
    regex_t compiled;
    int error = regcomp(&compiled, expression->text, expression->flags);
    uint64_t answer = (uint64_t)error * 100 + compiled.re_nsub;
    regfree(&compiled);
    return answer;
}

CALLS(compile_literal, compile(&literal))
CALLS(compile_alternative, compile(&alternative))
CALLS(compile_classes, compile(&classes))
CALLS(compile_any_case, compile(&any_case))
CALLS(find_literal, match(&literal, words))
CALLS(find_alternative, match(&alternative, words))
CALLS(find_classes, match(&classes, lines[i % 64]))
CALLS(find_classes_long, match(&classes, words))
CALLS(find_anchored, match(&anchored, words))
CALLS(find_submatches, match(&submatches, lines[i % 64]))
CALLS(find_address, match(&address, lines[i % 64]))
CALLS(find_any_case, match(&any_case, words))
CALLS(find_greedy, match(&greedy, words))
CALLS(find_backward, match(&backward, lines[i % 64]))
CALLS(find_by_line, match(&by_line, words))
CALLS(find_nested, match(&nested, lines[i % 64]))
CALLS(fnmatch_suffix, fnmatch("*.tar.gz", i % 2 ? "brawn-0.1.0.tar.gz" : "brawn-0.1.0.tar.xz", 0))
CALLS(fnmatch_class, fnmatch("[a-m]*[0-9]?", i % 2 ? "library-12" : "zebra", 0))
CALLS(fnmatch_path, fnmatch("/usr/*/lib*.so", "/usr/lib/libsomething.so", FNM_PATHNAME))

static const struct row ROWS[] = {
    {"regcomp-literal", compile_literal, 1},
    {"regcomp-alternative", compile_alternative, 1},
    {"regcomp-classes", compile_classes, 1},
    {"regcomp-any-case", compile_any_case, 1},
    {"regexec-literal-4096", find_literal, 1},
    {"regexec-alternative-4096", find_alternative, 1, QUICK},
    {"regexec-classes-line", find_classes, 64, QUICK},
    {"regexec-classes-4096", find_classes_long, 1},
    {"regexec-anchored-4096", find_anchored, 1},
    {"regexec-submatches-line", find_submatches, 64},
    {"regexec-address-line", find_address, 64},
    {"regexec-any-case-4096", find_any_case, 1},
    {"regexec-greedy-4096", find_greedy, 1},
    {"regexec-backward-line", find_backward, 64},
    {"regexec-by-line-4096", find_by_line, 1},
    {"regexec-nested-line", find_nested, 64},
    {"fnmatch-suffix", fnmatch_suffix, 2},
    {"fnmatch-class", fnmatch_class, 2},
    {"fnmatch-path", fnmatch_path, 2},
};

const struct group regex_group = GROUP("regex", prepare, ROWS);
