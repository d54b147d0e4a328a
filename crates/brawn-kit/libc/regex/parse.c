/*
 * The grammar of musl's regcomp, as far as it is certain that musl accepts the expression and what it then matches. All
 * else gives no program: what is no expression, back references, characters that are not ASCII, \x, assertions
 * that are repeated or in one of several ways to match nothing (there musl has rules of its own), and what is too large.
 */

#include "parser.h"

enum { DEPTH = 12, WORK = 2000, REPEAT_MOST = 255, OPEN_END = -1 };

static const places NOWHERE;

static bool extended(const struct parser *p) {
    return p->flags & REG_EXTENDED;
}

/* The position of one more character or assertion, or 0. */
static unsigned position(struct parser *p, unsigned what) {
    if (p->positions == POSITIONS) {
        return 0;
    }
    p->what[p->positions] = (uint8_t)what;
    p->follow[p->positions] = NOWHERE;
    return p->positions++;
}

static void nothing(struct part *part) {
    *part = (struct part){.empty = true, .nothing = true};
}

static bool single(struct parser *p, unsigned what, struct part *part) {
    const unsigned at = position(p, what);
    if (at == 0) {
        return false;
    }
    *part = (struct part){0};
    add(&part->first, at);
    add(&part->last, at);
    return true;
}

static bool assertion(struct parser *p, unsigned what, struct part *part) {
    p->assertions |= what == LINE_BEGIN ? HAS_LINE_BEGIN : what == LINE_END ? HAS_LINE_END : HAS_WORDS;
    if (!single(p, what, part)) {
        return false;
    }
    part->nothing = part->asserted = true;
    return true;
}

void __brawn_regex_connect(struct parser *p, const places *from, const places *to) {
    EACH(from, at) {
        join(&p->follow[at], to);
    }
}

static void append(struct parser *p, struct part *to, const struct part *next) {
    __brawn_regex_connect(p, &to->last, &next->first);
    if (to->empty) {
        join(&to->first, &next->first);
    }
    if (next->empty) {
        join(&to->last, &next->last);
    } else {
        to->last = next->last;
    }
    to->empty &= next->empty;
    to->asserted |= next->asserted;
    to->nothing &= next->nothing;
    to->counts = next->counts > to->counts ? next->counts : to->counts;
}

/* Of two branches that match nothing musl takes the first, with its assertions. */
static bool either(struct part *to, const struct part *other) {
    if (to->nothing && other->nothing && to->asserted) {
        return false;
    }
    join(&to->first, &other->first);
    join(&to->last, &other->last);
    to->empty |= other->empty;
    if (!to->nothing) {
        to->asserted = other->nothing && other->asserted;
    }
    to->nothing |= other->nothing;
    to->counts = other->counts > to->counts ? other->counts : to->counts;
    return true;
}

static bool same_set(const struct set *a, const struct set *b) {
    return a->ascii[0] == b->ascii[0] && a->ascii[1] == b->ascii[1] && a->classes == b->classes &&
           a->negated == b->negated && a->fold == b->fold;
}

/* The index of a set, or SETS where there are too many. */
static unsigned set_index(struct parser *p, const struct set *set) {
    unsigned i = 0;
    while (i < p->sets && !same_set(&p->set[i], set)) {
        i++;
    }
    if (i == p->sets && i < SETS) {
        p->set[p->sets++] = *set;
    }
    return i;
}

static bool element(struct parser *p, unsigned set, unsigned group) {
    if (p->apart == 0 && p->row) {
        if (p->elements == ELEMENTS || group > 255) {
            p->row = false;
        } else {
            p->element[p->elements++] = (struct element){(uint8_t)set, (uint8_t)group, 1, 1};
        }
    }
    return true;
}

static bool character(struct parser *p, const struct set *set, struct part *part) {
    const unsigned index = set_index(p, set);
    return index < SETS && single(p, index, part) && element(p, index, 0);
}

static bool literal(struct parser *p, unsigned c, struct part *part) {
    if (c == 0 || c > 127) {
        return false;
    }
    struct set set = {.fold = p->flags & REG_ICASE};
    __brawn_regex_add(&set, c, p->flags & REG_ICASE);
    return character(p, &set, part);
}

static bool escaped(struct parser *p, struct part *part) {
    const char c = p->s[1];
    struct set set;
    const char *of_set = __brawn_regex_escape_set(c);
    p->s += 2;
    if (of_set != NULL) {
        return __brawn_regex_bracket(of_set, p->flags, &set) != NULL && character(p, &set, part);
    }
    if (__brawn_regex_escape_character(c) != 0) {
        return literal(p, __brawn_regex_escape_character(c), part);
    }
    switch (c) {
    case 'b':
        return assertion(p, WORD_EDGE, part);
    case 'B':
        return assertion(p, WORD_INNER, part);
    case '<':
        return assertion(p, WORD_BEGIN, part);
    case '>':
        return assertion(p, WORD_END, part);
    case 'x':
        return false;
    case '{':
    case '+':
    case '?':
        return extended(p) && literal(p, (unsigned char)c, part);
    case '|':
        if (!extended(p)) {
            p->s -= 2;
            nothing(part);
            return true;
        }
        return literal(p, '|', part);
    default:
        return !(!extended(p) && c >= '1' && c <= '9') && literal(p, (unsigned char)c, part);
    }
}

static bool simple(struct parser *p, struct part *part) {
    const char c = *p->s;
    struct set set = {0};
    switch (c) {
    case '[':
        p->s = __brawn_regex_bracket(p->s + 1, p->flags, &set);
        return p->s != NULL && character(p, &set, part);
    case '\\':
        return escaped(p, part);
    case '.':
        p->s++;
        set = (struct set){{~(uint64_t)1, ~(uint64_t)0}, 0, true, false};
        if (p->flags & REG_NEWLINE) {
            set.ascii[0] &= ~((uint64_t)1 << '\n');
        }
        return character(p, &set, part);
    case '^':
        if (!extended(p) && p->s != p->start) {
            break;
        }
        p->s++;
        return assertion(p, LINE_BEGIN, part);
    case '$':
        if (!extended(p) && p->s[1] != 0 && (p->s[1] != '\\' || (p->s[2] != ')' && p->s[2] != '|'))) {
            break;
        }
        p->s++;
        return assertion(p, LINE_END, part);
    case '*':
    case '{':
    case '+':
    case '?':
        if (extended(p)) {
            return false;
        }
        break;
    case '|':
        if (!extended(p)) {
            break;
        }
        nothing(part);
        return true;
    case 0:
        nothing(part);
        return true;
    default:
        break;
    }
    return literal(p, (unsigned char)*p->s++, part);
}

static bool opens(const struct parser *p) {
    return extended(p) ? *p->s == '(' : p->s[0] == '\\' && p->s[1] == '(';
}

static bool closes(const struct parser *p, unsigned depth) {
    return extended(p) ? *p->s == ')' && depth > 0 : p->s[0] == '\\' && p->s[1] == ')';
}

static bool alternates(const struct parser *p) {
    return extended(p) ? *p->s == '|' : p->s[0] == '\\' && p->s[1] == '|';
}

static bool atom(struct parser *p, struct part *part, unsigned depth) {
    if (++p->work > WORK) {
        return false;
    }
    const unsigned mark = extended(p) ? 1 : 2;
    if (closes(p, depth)) {
        nothing(part);
        return true;
    }
    if (!opens(p)) {
        return simple(p, part);
    }
    const unsigned group = ++p->groups;
    p->s += mark;
    p->start = p->s;
    if (depth == DEPTH || !element(p, OPEN, group) || !__brawn_regex_branches(p, part, depth + 1) ||
        !closes(p, depth + 1)) {
        return false;
    }
    p->s += mark;
    return element(p, CLOSE, group);
}

static const char *number(const char *s, int *n) {
    *n = OPEN_END;
    if (*s < '0' || *s > '9') {
        return s;
    }
    for (*n = 0; *s >= '0' && *s <= '9' && *n <= REPEAT_MOST; s++) {
        *n = 10 * *n + (*s - '0');
    }
    return s;
}

/* Reads *, +, ? or counts: whether there is one. `s` is a null pointer where it is none that musl takes. */
static bool repeat(struct parser *p, int *least, int *most) {
    const char *s = p->s;
    if (extended(p) ? *s != '*' && *s != '+' && *s != '?' && *s != '{'
                    : *s != '*' && (*s != '\\' || (s[1] != '+' && s[1] != '?' && s[1] != '{'))) {
        return false;
    }
    s += *s == '\\';
    /* ^* in the beginning of a basic expression. */
    if (!extended(p) && s == p->start + 1 && s[-1] == '^') {
        return false;
    }
    *least = *s == '+';
    *most = *s == '?' ? 1 : OPEN_END;
    if (*s++ == '{') {
        s = number(s, least);
        *most = *least;
        if (*s == ',') {
            s = number(s + 1, most);
        }
        /* None at all has groups that do not exist. */
        bool wrong = *least < 0 || *most == 0 || (*most >= 0 && *most < *least) || *most > REPEAT_MOST ||
                     *least > REPEAT_MOST;
        wrong = wrong || (!extended(p) && *s++ != '\\');
        p->s = wrong || *s != '}' ? NULL : s + 1;
        return true;
    }
    p->s = s;
    return true;
}

static void loop(struct parser *p, struct part *part) {
    __brawn_regex_connect(p, &part->last, &part->first);
}

/* One of the copies that a count makes: read once more from where it is. */
struct source {
    const char *s, *start;
    unsigned groups, depth;
};

static bool copy(struct parser *p, const struct source *source, struct part *part) {
    const struct source behind = {p->s, p->start, p->groups, 0};
    p->s = source->s;
    p->start = source->start;
    p->groups = source->groups;
    p->apart++;
    const bool done = atom(p, part, source->depth);
    p->apart--;
    p->s = behind.s;
    p->start = behind.start;
    return done;
}

static bool counted(struct parser *p, const struct source *source, struct part *part, int least, int most) {
    struct part next = *part;
    const int copies = most == OPEN_END ? least : most;
    for (int i = 0; i < copies; i++) {
        if (i > 0 && !copy(p, source, &next)) {
            return false;
        }
        if (i == least - 1 && most == OPEN_END) {
            loop(p, &next);
        }
        next.empty |= i >= least;
        if (i == 0) {
            *part = next;
        } else {
            append(p, part, &next);
        }
    }
    return true;
}

/* An atom and what repeats it. */
static bool piece(struct parser *p, struct part *part, unsigned depth) {
    const struct source source = {p->s, p->start, p->groups, depth};
    const unsigned elements = p->elements;
    if (!atom(p, part, depth)) {
        return false;
    }
    const bool one = p->elements == elements + 1;
    int least, most;
    for (unsigned times = 0; repeat(p, &least, &most); times++) {
        if (p->s == NULL || (part->nothing && part->asserted)) {
            return false;
        }
        if (p->apart == 0 && p->row) {
            p->row = one && times == 0;
            if (p->row) {
                p->element[elements].least = (uint16_t)least;
                p->element[elements].most = most == OPEN_END ? MANY : (uint16_t)most;
            }
        }
        const bool nothing = part->nothing || least == 0, count = least > 1 || most > 1;
        /* In a count within two other repetitions musl mixes up its states. */
        const unsigned counts = part->counts + (part->counts > 0 || count);
        if (counts > 2) {
            return false;
        }
        if (count) {
            if (times > 0 || !counted(p, &source, part, least, most)) {
                return false;
            }
        } else {
            if (most == OPEN_END) {
                loop(p, part);
            }
            part->empty |= least == 0;
        }
        part->nothing = nothing;
        part->counts = (uint8_t)counts;
        if (times > 0 && p->work++ > WORK) {
            return false;
        }
    }
    return true;
}

bool __brawn_regex_branches(struct parser *p, struct part *part, unsigned depth) {
    struct part branch, next;
    for (bool more = false;; more = true) {
        nothing(&branch);
        do {
            if (!piece(p, &next, depth)) {
                return false;
            }
            append(p, &branch, &next);
        } while (*p->s != 0 && !alternates(p) && !closes(p, depth));
        if (!more) {
            *part = branch;
        } else if (!either(part, &branch)) {
            return false;
        }
        if (!alternates(p)) {
            return true;
        }
        p->row &= p->apart != 0;
        p->s += extended(p) ? 1 : 2;
        p->start = p->s;
    }
}
