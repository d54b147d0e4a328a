/* What the parser keeps of an expression. */
#ifndef BRAWN_REGEX_PARSER_H
#define BRAWN_REGEX_PARSER_H

#include "program.h"

/* Positions of a part of the expression: where it may begin, where it may end. */
struct part {
    places first, last;
    bool empty;     /* it can match nothing */
    bool nothing;   /* the same, with assertions counted as nothing */
    bool asserted;  /* matching nothing takes an assertion */
    uint8_t counts; /* how many repetitions there are one in another, with a count in the innermost */
};

struct parser {
    const char *s;
    const char *start; /* of the branch: where ^ of a basic expression is one */
    int flags;
    unsigned groups, positions, sets, elements, work;
    unsigned apart; /* how many repeated parts it is in, of which a row knows nothing */
    uint8_t assertions;
    bool row;
    struct element element[ELEMENTS];
    struct set set[SETS];
    uint8_t what[POSITIONS];
    places follow[POSITIONS];
};

/* After each of the positions `from` may come those of `to`. */
HIDDEN void __brawn_regex_connect(struct parser *p, const places *from, const places *to);
/* All branches up to the end, or to the bracket that closes them: false where they are left to musl. */
HIDDEN bool __brawn_regex_branches(struct parser *p, struct part *part, unsigned depth);

#endif
