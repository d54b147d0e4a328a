/* The states of an automaton, and how one leads to the next. */

#include "machine.h"

/* Whether `c`, which is not ASCII, is of one of the classes. */
static bool of_class(unsigned c, uint32_t classes) {
    for (; classes != 0; classes &= classes - 1) {
        if (iswctype(c, (unsigned long)__builtin_ctz(classes))) {
            return true;
        }
    }
    return false;
}

static bool in_set(const struct set *set, unsigned c) {
    bool in = false;
    if (set->classes != 0) {
        in = set->fold ? of_class(towlower(c), set->classes) || of_class(towupper(c), set->classes)
                       : of_class(c, set->classes);
    }
    return in != set->negated;
}

/* The sets that a character beyond ASCII is in. */
uint64_t __brawn_regex_mask(const struct program *program, unsigned c) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < program->sets; i++) {
        mask |= (uint64_t)in_set(&program->set[i], c) << i;
    }
    if (program->assertions & HAS_WORDS && of_class(c, (uint32_t)1 << wctype("alnum"))) {
        mask |= WORD_BIT;
    }
    return mask;
}

/* The class with a mask, new if it must be; 0 where there are too many. */
static unsigned class_of(struct machine *machine, uint64_t mask) {
    unsigned class = 1;
    while (class < machine->classes && machine->mask[class] != mask) {
        class++;
    }
    if (class == machine->classes) {
        if (class == CLASSES_MOST) {
            return 0;
        }
        machine->mask[machine->classes++] = mask;
    }
    return class;
}

static bool classes(const struct program *program, struct machine *machine) {
    uint64_t mask[128] = {0};
    for (unsigned i = 0; i < program->sets; i++) {
        for (unsigned half = 0; half < 2; half++) {
            for (uint64_t left = program->set[i].ascii[half]; left != 0; left &= left - 1) {
                mask[half * 64 + (unsigned)__builtin_ctzll(left)] |= (uint64_t)1 << i;
            }
        }
        machine->quick &= program->set[i].classes == 0;
    }
    if (program->flags & REG_NEWLINE && program->assertions) {
        mask['\n'] |= NEWLINE_BIT;
    }
    if (program->assertions & HAS_WORDS) {
        machine->quick = false;
        for (unsigned c = '0'; c <= 'z'; c++) {
            if (c <= '9' || (c | 32) - 'a' < 26 || c == '_') {
                mask[c] |= WORD_BIT;
            }
        }
    }
    machine->classes = 1;
    unsigned last = 0;
    uint64_t of_last = 0;
    for (unsigned c = 1; c < 128; c++) {
        if (last == 0 || mask[c] != of_last) {
            of_last = mask[c];
            last = class_of(machine, of_last);
            if (last == 0) {
                return false;
            }
        }
        machine->narrow[c] = machine->wide[c] = (uint8_t)last;
    }
    machine->narrow[0] = machine->wide[0] = 0;
    if (machine->quick) {
        machine->beyond = (uint8_t)class_of(machine, __brawn_regex_mask(program, 0x80));
        if (machine->beyond == 0) {
            return false;
        }
    } else {
        /* A letter, a capital, an ideogram, a mark and a byte of no character: others go by their masks. */
        static const unsigned TYPICAL[] = {0xe9, 0xc9, 0x4e2d, 0x2014, 0xdf80};
        for (unsigned i = 0; i < sizeof TYPICAL / sizeof *TYPICAL; i++) {
            class_of(machine, __brawn_regex_mask(program, TYPICAL[i]));
        }
    }
    for (unsigned c = 128; c < 256; c++) {
        machine->narrow[c] = machine->beyond;
        machine->wide[c] = 0;
    }
    return true;
}

struct machine *__brawn_regex_machine(const struct program *program) {
    struct machine *machine = malloc(sizeof *machine);
    if (machine == NULL) {
        return NULL;
    }
    machine->lock = 0;
    machine->beyond = 0;
    machine->quick = true;
    if (!classes(program, machine)) {
        free(machine);
        return NULL;
    }
    machine->shift = 2;
    while (1u << machine->shift < machine->classes) {
        machine->shift++;
    }
    machine->most = ENTRIES >> machine->shift < STATES ? ENTRIES >> machine->shift : STATES;
    machine->tracked = (program->assertions & HAS_LINE_BEGIN ? AT_LINE_BEGIN : 0) |
                       (program->assertions & HAS_WORDS ? AFTER_WORD | AT_TEXT_BEGIN : 0);
    machine->line_begin = (places){{0}};
    if (!(program->flags & REG_NEWLINE)) {
        for (unsigned at = 1; at < program->positions; at++) {
            if (program->what[at] == LINE_BEGIN) {
                add(&machine->line_begin, at);
            }
        }
    }
    machine->later = program->first;
    for (int i = 0; i < WORDS; i++) {
        machine->later.word[i] &= ~machine->line_begin.word[i];
    }
    for (unsigned i = 0; i < CONTEXTS; i++) {
        machine->start[0][i] = machine->start[1][i] = 0;
    }
    /* State 0 is none, state 1 the one that leads nowhere. */
    machine->state[1] = (struct state){.kind = DEAD};
    for (unsigned i = 0; i < 2u << machine->shift; i++) {
        machine->table[i] = UNKNOWN;
    }
    machine->count = 2;
    __brawn_regex_begin(program, machine);
    return machine;
}

/* What comes next: the end of the text or of a line, a word's character or another. */
struct next {
    bool end, line_end, word;
};

static bool holds(unsigned assertion, unsigned context, struct next next) {
    const bool after = context & AFTER_WORD;
    switch (assertion) {
    case LINE_BEGIN:
        return context & AT_LINE_BEGIN;
    case LINE_END:
        return next.line_end;
    case WORD_BEGIN:
        return !after && next.word;
    case WORD_END:
        return after && !next.word;
    case WORD_EDGE:
        return context & AT_TEXT_BEGIN || next.end || after != next.word;
    default:
        return !(context & AT_TEXT_BEGIN) && !next.end && after == next.word;
    }
}

/* The positions of a state with those behind the assertions that hold. */
static places resolve(const struct program *program, const struct state *state, struct next next) {
    places all = state->set, seen = {{0}};
    for (bool more = program->assertions != 0; more;) {
        more = false;
        for (unsigned word = 0; word < WORDS; word++) {
            for (uint64_t left = all.word[word] & ~seen.word[word]; left != 0; left &= left - 1) {
                const unsigned at = word * 64 + (unsigned)__builtin_ctzll(left);
                add(&seen, at);
                if (at != 0 && program->what[at] >= LINE_BEGIN &&
                    holds(program->what[at], state->context, next)) {
                    join(&all, &program->follow[at]);
                    more = true;
                }
            }
        }
    }
    return all;
}

bool __brawn_regex_ends(const struct program *program, const struct state *state, bool at_line_end) {
    const places all = resolve(program, state, (struct next){true, at_line_end, false});
    return has(&all, 0);
}

/* The state behind a character with this mask: whether a match ends before the character. */
bool __brawn_regex_step(const struct program *program, const struct machine *machine,
                        const struct state *from, uint64_t mask, struct state *to) {
    const bool newline = mask & NEWLINE_BIT, word = mask & WORD_BIT;
    const places all = resolve(program, from, (struct next){false, newline, word});
    *to = (struct state){.restart = from->restart};
    EACH(&all, at) {
        if (at != 0 && program->what[at] < LINE_BEGIN && mask >> program->what[at] & 1) {
            join(&to->set, &program->follow[at]);
        }
    }
    uint64_t any = 0;
    for (int i = 0; i < WORDS; i++) {
        to->set.word[i] &= ~machine->line_begin.word[i];
        any |= to->set.word[i];
    }
    if (from->restart) {
        to->live = any != 0;
        join(&to->set, &machine->later);
    }
    to->context = ((newline ? AT_LINE_BEGIN : 0) | (word ? AFTER_WORD : 0)) & machine->tracked;
    return has(&all, 0);
}

static bool same(const places *a, const places *b) {
    uint64_t differ = 0;
    for (int i = 0; i < WORDS; i++) {
        differ |= a->word[i] ^ b->word[i];
    }
    return differ == 0;
}

static bool same_state(const struct state *a, const struct state *b) {
    return same(&a->set, &b->set) && a->context == b->context && a->restart == b->restart &&
           a->live == b->live;
}

/* Is it a state that most characters lead back to? */
static void find_loop(const struct program *program, const struct machine *machine, struct state *state) {
    bool repeats = false;
    EACH(&state->set, at) {
        repeats |= at != 0 && has(&program->follow[at], at);
    }
    if (!repeats || !machine->quick) {
        return;
    }
    bool stays[CLASSES_MOST] = {false};
    struct state to;
    const bool matches = __brawn_regex_step(program, machine, state, machine->mask[machine->beyond], &to);
    if (!same_state(&to, state)) {
        return;
    }
    for (unsigned class = 1; class < machine->classes; class++) {
        const bool match = __brawn_regex_step(program, machine, state, machine->mask[class], &to);
        stays[class] = match == matches && same_state(&to, state);
    }
    unsigned exits = 0;
    for (unsigned c = 1; c < 128; c++) {
        if (!stays[machine->narrow[c]]) {
            if (exits == sizeof state->exit) {
                return;
            }
            state->exit[exits++] = (uint8_t)c;
        }
    }
    state->exits = (uint8_t)exits;
    state->matches = matches;
    state->kind = LOOP;
}

/* The row of a state that is there or can be added, by the holder of the lock; else 0. */
static unsigned row_of(const struct program *program, struct machine *machine, const struct state *state) {
    if (same(&state->set, &(const places){{0}})) {
        return 1u << machine->shift;
    }
    unsigned i = 2;
    while (i < machine->count && !same_state(&machine->state[i], state)) {
        i++;
    }
    if (i == machine->most) {
        return 0;
    }
    if (i == machine->count) {
        struct state *added = &machine->state[i];
        *added = *state;
        added->kind = PLAIN;
        if (state->restart && !state->live) {
            added->kind = START;
        } else {
            find_loop(program, machine, added);
        }
        for (unsigned class = 0; class < 1u << machine->shift; class++) {
            machine->table[(i << machine->shift) + class] = UNKNOWN;
        }
        machine->count++;
    }
    return i << machine->shift;
}

static bool try_lock(struct machine *machine) {
    return __atomic_exchange_n(&machine->lock, 1, __ATOMIC_ACQUIRE) == 0;
}

static void unlock(struct machine *machine) {
    __atomic_store_n(&machine->lock, 0, __ATOMIC_RELEASE);
}

unsigned __brawn_regex_row(const struct program *program, struct machine *machine,
                           const struct state *state) {
    if (!try_lock(machine)) {
        return 0;
    }
    const unsigned row = row_of(program, machine, state);
    unlock(machine);
    return row;
}

/* The entry of a row for a class, which now is worked out; UNKNOWN if it cannot be kept. */
unsigned __brawn_regex_entry(const struct program *program, struct machine *machine, unsigned row,
                             unsigned class) {
    if (!try_lock(machine)) {
        return UNKNOWN;
    }
    struct state to;
    const bool match = __brawn_regex_step(program, machine, &machine->state[row >> machine->shift],
                                          machine->mask[class], &to);
    const unsigned next = row_of(program, machine, &to);
    unsigned entry = UNKNOWN;
    if (next != 0) {
        const bool special = machine->state[next >> machine->shift].kind != PLAIN;
        entry = next | (match ? MATCH : 0) | (special ? SPECIAL : 0);
        __atomic_store_n(&machine->table[row + class], (uint16_t)entry, __ATOMIC_RELEASE);
    }
    unlock(machine);
    return entry;
}
