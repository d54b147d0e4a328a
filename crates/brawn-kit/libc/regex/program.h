/*
 * An expression as the kit keeps it: its positions, which of them may follow which, and what each of them consumes. A
 * position is one character of the expression, or an assertion; position 0 is the end.
 */
#ifndef BRAWN_REGEX_PROGRAM_H
#define BRAWN_REGEX_PROGRAM_H

#include "musl.h"

enum { WORDS = 4, POSITIONS = 64 * WORDS, SETS = 62, ELEMENTS = 48 };

/* Some of the positions. */
typedef struct {
    uint64_t word[WORDS];
} places;

INLINE void join(places *to, const places *from) {
    for (int i = 0; i < WORDS; i++) {
        to->word[i] |= from->word[i];
    }
}

INLINE bool has(const places *set, unsigned position) {
    return set->word[position / 64] >> position % 64 & 1;
}

INLINE void add(places *set, unsigned position) {
    set->word[position / 64] |= (uint64_t)1 << position % 64;
}

/* `position` runs through those that are in `set`. */
#define EACH(set, position)                                                                                  \
    for (unsigned word_ = 0; word_ < WORDS; word_++)                                                         \
        for (uint64_t left_ = (set)->word[word_]; left_ != 0; left_ &= left_ - 1)                            \
            for (unsigned position = word_ * 64 + (unsigned)__builtin_ctzll(left_), once_ = 1; once_;        \
                 once_ = 0)

/*
 * A set of characters. Of those that are not ASCII it has the ones of some classes, bits 1 << wctype(name), or all but
 * those of some classes.
 */
struct set {
    uint64_t ascii[2];
    uint32_t classes;
    bool negated, fold;
};

/* What a position is: the index of its set, or one of the assertions. */
enum { LINE_BEGIN = 0xf0, LINE_END, WORD_BEGIN, WORD_END, WORD_EDGE, WORD_INNER };
enum { HAS_LINE_BEGIN = 1, HAS_LINE_END = 2, HAS_WORDS = 4 };

/*
 * The expression as a row of sets, if that is all it is: how often each comes, and where the brackets of a submatch open
 * and close. MANY is without bound.
 */
enum { OPEN = 0xfe, CLOSE = 0xff, MANY = 0xffff };
struct element {
    uint8_t set; /* or OPEN, CLOSE */
    uint8_t group;
    uint16_t least, most;
};

struct machine;

struct program {
    struct machine *machine; /* made by the first regexec */
    regex_t *behind;         /* what musl made of it, when it was first needed */
    int flags;
    uint16_t positions, sets, elements;
    uint8_t assertions;
    bool row; /* the elements are the whole expression, and say where its submatches are */
    places first;
    const places *follow;
    const struct set *set;
    const struct element *element;
    const uint8_t *what; /* by position */
    const char *pattern;
};

#define HIDDEN __attribute__((visibility("hidden")))

/* Adds an ASCII character, in both cases if `fold`. */
HIDDEN void __brawn_regex_add(struct set *set, unsigned character, bool fold);
HIDDEN const char *__brawn_regex_bracket(const char *s, int flags, struct set *set);
/* What \w and the like stand for, behind the bracket that opens; what \n and the like stand for. 0: nothing. */
HIDDEN const char *__brawn_regex_escape_set(char c);
HIDDEN unsigned __brawn_regex_escape_character(char c);

/* A program, or a null pointer where the expression must be left to musl. */
HIDDEN struct program *__brawn_regex_parse(const char *pattern, int flags, size_t *groups);

#endif
