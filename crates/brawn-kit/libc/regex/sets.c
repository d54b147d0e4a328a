/* Sets of characters: bracket expressions, classes by name, and what escapes stand for. */

#include "program.h"

static const struct {
    char name[8];
    uint64_t ascii[2];
} CLASSES[] = {
    {"alnum", {0x03ff000000000000, 0x07fffffe07fffffe}},
    {"alpha", {0, 0x07fffffe07fffffe}},
    {"blank", {0x0000000100000200, 0}},
    {"cntrl", {0x00000000ffffffff, 0x8000000000000000}},
    {"digit", {0x03ff000000000000, 0}},
    {"graph", {0xfffffffe00000000, 0x7fffffffffffffff}},
    {"lower", {0, 0x07fffffe00000000}},
    {"print", {0xffffffff00000000, 0x7fffffffffffffff}},
    {"punct", {0xfc00fffe00000000, 0x78000001f8000001}},
    {"space", {0x0000000100003e00, 0}},
    {"upper", {0, 0x0000000007fffffe}},
    {"xdigit", {0x03ff000000000000, 0x0000007e0000007e}},
};

/* Adds the class that `name` and a colon are, and gives the length of its name, or 0. */
static size_t named_class(struct set *set, const char *name, bool fold) {
    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++) {
        size_t n = 0;
        while (CLASSES[i].name[n] != 0 && CLASSES[i].name[n] == name[n]) {
            n++;
        }
        if (CLASSES[i].name[n] != 0 || name[n] != ':') {
            continue;
        }
        const unsigned long type = wctype(CLASSES[i].name);
        if (type == 0 || type > 31) {
            return 0;
        }
        set->classes |= (uint32_t)1 << type;
        set->ascii[0] |= CLASSES[i].ascii[0];
        set->ascii[1] |= CLASSES[i].ascii[1];
        const uint64_t letters = 0x07fffffe;
        if (fold) {
            const uint64_t of_either = (set->ascii[1] | set->ascii[1] >> 32) & letters;
            set->ascii[1] |= of_either | of_either << 32;
        }
        return n;
    }
    return 0;
}

static bool is_letter(unsigned c) {
    return (c | 32) - 'a' < 26;
}

void __brawn_regex_add(struct set *set, unsigned c, bool fold) {
    set->ascii[c / 64] |= (uint64_t)1 << c % 64;
    if (fold && is_letter(c)) {
        c ^= 32;
        set->ascii[c / 64] |= (uint64_t)1 << c % 64;
    }
}

/* The set behind an opening bracket; a pointer behind it, or a null pointer. */
const char *__brawn_regex_bracket(const char *s, int flags, struct set *set) {
    const bool fold = flags & REG_ICASE, negated = *s == '^';
    *set = (struct set){.fold = fold, .negated = negated};
    s += negated;
    for (const char *start = s;;) {
        const unsigned c = (unsigned char)*s;
        if (c == 0 || c > 127) {
            return NULL;
        }
        if (c == ']' && s != start) {
            break;
        }
        if (c == '-' && s != start && s[1] != ']' && (s[1] != '-' || s[2] == ']')) {
            return NULL;
        }
        if (c == '[' && (s[1] == '.' || s[1] == '=')) {
            return NULL;
        }
        if (c == '[' && s[1] == ':') {
            /* Other characters of the set are folded already, so that folding all of it is right. */
            const size_t length = named_class(set, s + 2, fold);
            if (length == 0 || s[length + 3] != ']') {
                return NULL;
            }
            s += length + 4;
            continue;
        }
        unsigned last = c;
        s++;
        if (*s == '-' && s[1] != ']') {
            last = (unsigned char)s[1];
            if (last == 0 || last > 127 || c > last) {
                return NULL;
            }
            s += 2;
        }
        for (unsigned each = c; each <= last; each++) {
            __brawn_regex_add(set, each, fold);
        }
    }
    if (negated) {
        if (flags & REG_NEWLINE) {
            __brawn_regex_add(set, '\n', false);
        }
        set->ascii[0] = ~set->ascii[0] & ~(uint64_t)1;
        set->ascii[1] = ~set->ascii[1];
    }
    return s + 1;
}

const char *__brawn_regex_escape_set(char c) {
    switch (c) {
    case 'w':
        return "[:alnum:]_]";
    case 'W':
        return "^[:alnum:]_]";
    case 's':
        return "[:space:]]";
    case 'S':
        return "^[:space:]]";
    case 'd':
        return "[:digit:]]";
    case 'D':
        return "^[:digit:]]";
    default:
        return NULL;
    }
}

unsigned __brawn_regex_escape_character(char c) {
    switch (c) {
    case 't':
        return '\t';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 'f':
        return '\f';
    case 'a':
        return '\a';
    case 'e':
        return 27;
    default:
        return 0;
    }
}
