/*
 * regexec. One pass of the automaton says whether there is a match, and where it may begin; a second, from there, how long
 * it is. Submatches are read off a row of sets, or found by musl from where the match begins.
 *
 * musl gives no match where it comes upon bytes that are no character, in what it reads until it is certain of the match,
 * one character ahead. Where such a sequence is met the whole question is musl's.
 */

#include "scan.h"

enum answer { NONE, FOUND, MUSLS };

struct run {
    const struct program *program;
    struct machine *machine;
    const char *text;
    int eflags;
    bool wide; /* UTF-8 */
};

static struct machine *machine_of(struct program *program) {
    struct machine *machine = __atomic_load_n(&program->machine, __ATOMIC_ACQUIRE), *other = NULL;
    if (machine == NULL) {
        machine = __brawn_regex_machine(program);
        if (machine != NULL && !__atomic_compare_exchange_n(&program->machine, &other, machine, false,
                                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            free(machine);
            machine = other;
        }
    }
    return machine;
}

/* What musl makes of the expression; a null pointer without memory for it. */
static regex_t *behind(struct program *program) {
    regex_t *compiled = __atomic_load_n(&program->behind, __ATOMIC_ACQUIRE), *other = NULL;
    if (compiled != NULL) {
        return compiled;
    }
    compiled = malloc(sizeof *compiled);
    if (compiled == NULL || __brawn_musl_regcomp(compiled, program->pattern, program->flags) != REG_OK) {
        free(compiled);
        return NULL;
    }
    if (!__atomic_compare_exchange_n(&program->behind, &other, compiled, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        __brawn_musl_regfree(compiled);
        free(compiled);
        compiled = other;
    }
    return compiled;
}

static int ask_musl(struct program *program, const char *text, size_t nmatch, regmatch_t *pmatch,
                    int eflags) {
    const regex_t *compiled = behind(program);
    return compiled == NULL ? REG_ESPACE : __brawn_musl_regexec(compiled, text, nmatch, pmatch, eflags);
}

/* The character at p, not the text's end: its length, and its mask by its class where it has one. 0: no character. */
static unsigned character(const struct run *run, const char *p, unsigned *class, uint64_t *mask) {
    const struct machine *machine = run->machine;
    const unsigned c = (unsigned char)*p;
    unsigned length = 1, code = 0xdf00 + c;
    *class = machine->narrow[c];
    if (run->wide && c >= 0x80) {
        length = decode(p, &code);
        if (length == 0) {
            return 0;
        }
    }
    if (*class != 0) {
        *mask = machine->mask[*class];
        return length;
    }
    *mask = __brawn_regex_mask(run->program, code);
    for (unsigned i = 1; i < machine->classes; i++) {
        if (machine->mask[i] == *mask) {
            *class = i;
            break;
        }
    }
    return length;
}

/* What is known before p. The text is known to be valid up to there. */
static unsigned context(const struct run *run, const char *p) {
    const unsigned tracked = run->machine->tracked;
    if (tracked == 0) {
        return 0;
    }
    if (p == run->text) {
        return (AT_TEXT_BEGIN | (run->eflags & REG_NOTBOL ? 0 : AT_LINE_BEGIN)) & tracked;
    }
    unsigned class, known = 0;
    uint64_t mask;
    character(run, before(p, run->wide), &class, &mask);
    known |= mask & NEWLINE_BIT ? AT_LINE_BEGIN : 0;
    known |= mask & WORD_BIT ? AFTER_WORD : 0;
    return known & tracked;
}

static void begin_state(const struct run *run, const char *p, bool restart, struct state *state) {
    const unsigned before = context(run, p);
    const bool all = before & AT_LINE_BEGIN || run->program->flags & REG_NEWLINE;
    *state = (struct state){.set = all ? run->program->first : run->machine->later,
                            .context = (uint8_t)before,
                            .restart = restart};
}

/* The row to begin with at p; 0 if there is none. */
static unsigned begin_row(const struct run *run, const char *p, bool restart) {
    uint16_t *kept = &run->machine->start[restart][context(run, p)];
    unsigned row = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (row == 0) {
        struct state state;
        begin_state(run, p, restart, &state);
        row = __brawn_regex_row(run->program, run->machine, &state);
        __atomic_store_n(kept, (uint16_t)row, __ATOMIC_RELEASE);
    }
    return row;
}

static bool ends(const struct run *run, const struct state *state) {
    return __brawn_regex_ends(run->program, state, !(run->eflags & REG_NOTEOL));
}

/* Where a pass is, and what it has found. */
struct pass {
    const char *at;
    const char *from; /* no match begins before it */
    const char *end;  /* of the match: of the first to end, or of the longest */
    struct state state;
    unsigned row; /* of the state, or 0: then it is in `state` */
};

/* Goes on for a while without the table: NONE when the pass is over, else MUSLS or FOUND to go on. */
static enum answer by_positions(const struct run *run, struct pass *pass, bool longest, bool *over) {
    *over = false;
    for (int i = 0; i < 64; i++) {
        if (*pass->at == 0) {
            if (ends(run, &pass->state)) {
                pass->end = pass->at;
            }
            *over = true;
            return FOUND;
        }
        unsigned class;
        uint64_t mask;
        struct state to;
        const unsigned length = character(run, pass->at, &class, &mask);
        if (length == 0) {
            return MUSLS;
        }
        if (__brawn_regex_step(run->program, run->machine, &pass->state, mask, &to)) {
            pass->end = pass->at;
            if (!longest) {
                *over = true;
                return FOUND;
            }
        }
        pass->at += length;
        pass->state = to;
        uint64_t any = 0;
        for (int word = 0; word < WORDS; word++) {
            any |= to.set.word[word];
        }
        if (any == 0) {
            *over = true;
            return FOUND;
        }
        if (to.restart && !to.live) {
            pass->from = pass->at;
        }
    }
    return FOUND;
}

INLINE unsigned entry(const uint16_t *table, unsigned at) {
    return __atomic_load_n(&table[at], __ATOMIC_RELAXED);
}

/*
 * Goes through the text from where the pass is, until its end, until no state is left or, without `longest`, until a match
 * has ended. `end` is a null pointer without a match. MUSLS at bytes that are no character.
 */
INLINE enum answer go(const struct run *run, struct pass *pass, const bool longest, const bool wide) {
    struct machine *machine = run->machine;
    const uint16_t *table = machine->table;
    const uint8_t *classes = wide ? machine->wide : machine->narrow;
    const char *p = pass->at;
    unsigned row = pass->row;
    for (;;) {
        while (row == 0) {
            bool over;
            pass->at = p;
            pass->row = 0;
            const enum answer answer = by_positions(run, pass, longest, &over);
            if (answer == MUSLS || over) {
                return answer;
            }
            p = pass->at;
            row = __brawn_regex_row(run->program, machine, &pass->state);
        }
        unsigned next, class;
        for (;;) {
            next = entry(table, row + classes[(unsigned char)*p]);
            if (next & (longest ? SPECIAL : FLAGS)) {
                break;
            }
            if (longest) {
                pass->end = next & MATCH ? p : pass->end;
                next &= ~(unsigned)FLAGS;
            }
            row = next;
            p++;
        }
        unsigned length = 1;
        if (next == UNKNOWN) {
            const struct state *state = &machine->state[row >> machine->shift];
            if (*p == 0) {
                if (ends(run, state)) {
                    pass->end = p;
                }
                break;
            }
            uint64_t mask;
            length = character(run, p, &class, &mask);
            if (length == 0) {
                return MUSLS;
            }
            next = class == 0 ? UNKNOWN : entry(table, row + class);
            if (next == UNKNOWN && class != 0) {
                next = __brawn_regex_entry(run->program, machine, row, class);
            }
            if (next == UNKNOWN) {
                pass->state = *state;
                row = 0;
                continue;
            }
        }
        if (next & MATCH) {
            pass->end = p;
            if (!longest) {
                break;
            }
        }
        p += length;
        row = next & ~(unsigned)FLAGS;
        if (!(next & SPECIAL)) {
            continue;
        }
        const struct state *state = &machine->state[row >> machine->shift];
        if (state->kind == LOOP) {
            const char *exit = find_exit(state, p, wide);
            if (wide) {
                for (const char *next; (next = past_long(exit)) != exit;) {
                    exit = find_exit(state, next, wide);
                }
            }
            if (state->matches && exit != p) {
                if (!longest) {
                    pass->end = p;
                    break;
                }
                pass->end = before(exit, wide);
            }
            p = exit;
        } else if (state->kind == START) {
            const char *begin = p;
            const bool past =
                wide && machine->quick && entry(table, row + machine->beyond) == (row | SPECIAL);
            for (const char *next = p;;) {
                if (machine->filters > 0) {
                    begin = find_begin(machine, next, wide);
                } else {
                    while (entry(table, row + classes[(unsigned char)*begin]) == (row | SPECIAL)) {
                        begin++;
                    }
                }
                next = past ? past_long(begin) : begin;
                if (next == begin) {
                    break;
                }
                begin = next;
            }
            if (begin != p && machine->tracked != 0) {
                row = begin_row(run, begin, true);
                if (row == 0) {
                    begin_state(run, begin, true, &pass->state);
                }
            }
            pass->from = p = begin;
        } else {
            break;
        }
    }
    pass->at = p;
    pass->row = row;
    return FOUND;
}

static enum answer first_end(const struct run *run, struct pass *pass) {
    return run->wide ? go(run, pass, false, true) : go(run, pass, false, false);
}

static enum answer longest(const struct run *run, struct pass *pass) {
    return run->wide ? go(run, pass, true, true) : go(run, pass, true, false);
}

static void begin(const struct run *run, const char *p, bool restart, struct pass *pass) {
    pass->at = pass->from = p;
    pass->end = NULL;
    pass->row = begin_row(run, p, restart);
    if (pass->row == 0) {
        begin_state(run, p, restart, &pass->state);
    }
}

/* Are the next two characters ones? musl looks at both before it ends with a match that is empty. */
static bool valid_beyond(const char *p) {
    unsigned code, length = (signed char)*p >= 0 ? *p != 0 : decode(p, &code);
    return *p == 0 || (length != 0 && ((signed char)p[length] >= 0 || decode(p + length, &code) != 0));
}

/*
 * Does musl, which goes on until none of its paths is left, come upon bytes that are no character? The paths are all that
 * are alive where the first match ends.
 */
static bool valid_ahead(const struct run *run, const struct pass *pass) {
    if (ends_in_ascii(pass->at)) {
        return true;
    }
    struct pass rest = *pass;
    if (rest.row != 0) {
        rest.state = run->machine->state[rest.row >> run->machine->shift];
    }
    rest.state.restart = rest.state.live = false;
    rest.row = __brawn_regex_row(run->program, run->machine, &rest.state);
    if (longest(run, &rest) == MUSLS) {
        return false;
    }
    unsigned code;
    return (signed char)*rest.at >= 0 || decode(rest.at, &code) != 0;
}

/* The leftmost of the longest matches, begun at or behind `pass->from`; the first to end ends at `pass->end`. */
static enum answer leftmost(const struct run *run, const struct pass *first, regmatch_t *match) {
    unsigned long budget = 1000 + 8 * (unsigned long)(first->end - first->from);
    for (const char *p = first->from; p <= first->end;) {
        struct pass pass;
        begin(run, p, false, &pass);
        if (longest(run, &pass) == MUSLS) {
            return MUSLS;
        }
        if (pass.end != NULL) {
            *match = (regmatch_t){p - run->text, pass.end - run->text};
            return FOUND;
        }
        const unsigned long cost = (unsigned long)(pass.at - p) + 1;
        if (cost > budget) {
            return MUSLS;
        }
        budget -= cost;
        unsigned code;
        p += run->wide && (signed char)*p < 0 ? decode(p, &code) : 1;
    }
    return MUSLS;
}

static bool member(const struct set *set, unsigned c) {
    return c < 128 && set->ascii[c / 64] >> c % 64 & 1;
}

/* Where the submatches of a row are; false where it takes more than a look at ASCII to say. */
static bool submatches(const struct run *run, size_t nmatch, regmatch_t *pmatch) {
    const struct program *program = run->program;
    const char *p = run->text + pmatch[0].so;
    for (unsigned i = 0; i < program->elements; i++) {
        const struct element *element = &program->element[i];
        if (element->set == OPEN) {
            if (element->group < nmatch) {
                pmatch[element->group].so = p - run->text;
            }
        } else if (element->set == CLOSE) {
            if (element->group < nmatch) {
                pmatch[element->group].eo = p - run->text;
            }
        } else {
            const struct set *set = &program->set[element->set];
            unsigned long count = 0;
            const unsigned long most = element->most == MANY ? ~0ul : element->most;
            while (count < most && member(set, (unsigned char)*p)) {
                count++;
                p++;
            }
            if ((signed char)*p < 0 && count < most) {
                return false;
            }
        }
    }
    return p - run->text == pmatch[0].eo;
}

/* All submatches, by musl, of the match that begins there. */
static int submatches_behind(const struct run *run, size_t nmatch, regmatch_t *pmatch) {
    struct program *program = (struct program *)run->program;
    const regoff_t begin = program->assertions & HAS_WORDS ? 0 : pmatch[0].so;
    const char *p = run->text + begin;
    int eflags = run->eflags;
    if (begin > 0) {
        eflags |= REG_NOTBOL;
        if (program->flags & REG_NEWLINE && p[-1] == '\n') {
            eflags &= ~REG_NOTBOL;
        }
    }
    const int answer = ask_musl(program, p, nmatch, pmatch, eflags);
    for (size_t i = 0; answer == REG_OK && i < nmatch; i++) {
        if (pmatch[i].so >= 0) {
            pmatch[i].so += begin;
            pmatch[i].eo += begin;
        }
    }
    return answer;
}

int regexec(const regex_t *restrict preg, const char *restrict text, size_t nmatch,
            regmatch_t *restrict pmatch, int eflags) {
    struct program *program = preg->program;
    if (program == NULL) {
        return __brawn_musl_regexec(preg, text, nmatch, pmatch, eflags);
    }
    const size_t asked = nmatch;
    if (program->flags & REG_NOSUB) {
        nmatch = 0;
    }
    struct machine *machine = machine_of(program);
    if (machine == NULL) {
        return ask_musl(program, text, asked, pmatch, eflags);
    }
    const struct run run = {program, machine, text, eflags, __ctype_get_mb_cur_max() > 1};
    struct pass pass;
    regmatch_t match;
    begin(&run, text, true, &pass);
    enum answer answer = first_end(&run, &pass);
    if (answer == FOUND && pass.end == NULL) {
        return REG_NOMATCH;
    }
    if (answer == FOUND && nmatch == 0 && run.wide && !valid_beyond(pass.end)) {
        answer = MUSLS;
    } else if (answer == FOUND && nmatch > 0) {
        answer = run.wide && !valid_ahead(&run, &pass) ? MUSLS : leftmost(&run, &pass, &match);
    }
    if (answer == MUSLS) {
        return ask_musl(program, text, asked, pmatch, eflags);
    }
    for (size_t i = 0; i < nmatch; i++) {
        pmatch[i] = (regmatch_t){-1, -1};
    }
    if (nmatch > 0) {
        pmatch[0] = match;
        if (nmatch > 1 && preg->nsub > 0 && (!program->row || !submatches(&run, nmatch, pmatch))) {
            return submatches_behind(&run, nmatch, pmatch);
        }
    }
    return REG_OK;
}
