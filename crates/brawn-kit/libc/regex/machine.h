/*
 * The automaton of a program, made as texts ask for its states, in bounded memory that all threads share. A state is the
 * positions that may come next, before assertions are resolved, with what they must know of the character before. Its row
 * in the table says by class of character which state follows.
 *
 * States and entries are only added, by the thread that holds the lock; others read on meanwhile, and one that needs a new
 * state when the lock is taken or the memory is full goes on by positions. None waits.
 */
#ifndef BRAWN_REGEX_MACHINE_H
#define BRAWN_REGEX_MACHINE_H

#include "program.h"

enum { ENTRIES = 4096, STATES = 128, CLASSES_MOST = 120, LEVELS = 6, RANGES = 3 };

/* An entry: the row of the next state, and UNKNOWN where that is not worked out. */
enum {
    SPECIAL = 1, /* the next state has a kind */
    MATCH = 2,   /* a match ends before this character */
    UNKNOWN = SPECIAL,
    FLAGS = 3
};

/* What is known of the character before. */
enum { AT_LINE_BEGIN = 1, AFTER_WORD = 2, AT_TEXT_BEGIN = 4, CONTEXTS = 8 };

enum kind { PLAIN, DEAD, START, LOOP };

struct state {
    places set;
    uint8_t context;
    bool restart; /* a match may also begin at each later character */
    bool live;    /* one may have begun before, if there is a restart */
    uint8_t kind;
    /* LOOP: all characters lead back, with a match before each if `matches`, but for these and, in UTF-8, the long. */
    uint8_t exits, exit[3];
    bool matches;
};

/* Bytes that a match must have at this offset from where it begins. */
struct filter {
    uint8_t offset, ranges, low[RANGES], span[RANGES];
};

struct machine {
    int lock;
    unsigned count, most, shift, classes;
    uint8_t beyond;  /* the class of all characters but ASCII, if there is one */
    uint8_t tracked; /* which contexts matter */
    uint8_t filters;
    bool quick;        /* no set needs to look at a character that is not ASCII */
    places later;      /* where a match may begin but at the text's first character */
    places line_begin; /* positions of ^, without REG_NEWLINE */
    uint64_t mask[CLASSES_MOST];
    uint64_t begin[2]; /* ASCII a match may begin with, if it cannot be empty */
    uint16_t start[2][CONTEXTS];
    struct filter filter[2];
    uint8_t narrow[256], wide[256]; /* classes of bytes, in the C locale and in UTF-8 */
    struct state state[STATES];
    uint16_t table[ENTRIES + 128];
};

/* Bits of a character's mask behind those of the sets it is in. */
#define NEWLINE_BIT ((uint64_t)1 << 62)
#define WORD_BIT ((uint64_t)1 << 63)

HIDDEN struct machine *__brawn_regex_machine(const struct program *program);
HIDDEN void __brawn_regex_begin(const struct program *program, struct machine *machine);
HIDDEN uint64_t __brawn_regex_mask(const struct program *program, unsigned character);
HIDDEN bool __brawn_regex_step(const struct program *program, const struct machine *machine,
                               const struct state *from, uint64_t mask, struct state *to);
HIDDEN bool __brawn_regex_ends(const struct program *program, const struct state *state, bool at_line_end);
HIDDEN unsigned __brawn_regex_row(const struct program *program, struct machine *machine,
                                  const struct state *state);
HIDDEN unsigned __brawn_regex_entry(const struct program *program, struct machine *machine, unsigned row,
                                    unsigned class);

#endif
