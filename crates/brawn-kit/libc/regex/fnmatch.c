/*
 * fnmatch for patterns and texts of ASCII, without classes in brackets and FNM_LEADING_DIR. Where another character is met in the
 * part that decides, the whole question is musl's.
 */

#include "musl.h"

enum {
    FNM_NOMATCH = 1,
    FNM_PATHNAME = 1,
    FNM_NOESCAPE = 2,
    FNM_PERIOD = 4,
    FNM_LEADING_DIR = 8,
    FNM_CASEFOLD = 16
};

INLINE unsigned char fold(unsigned char c, bool folds) {
    return folds && (unsigned)(c | 32) - 'a' < 26 ? c | 32 : c;
}

enum { LEFT_TO_MUSL = -1, LISTS = -2 };

/* The length of a bracket expression of single characters and ranges in ASCII; 0 for one that is left to musl. */
static unsigned bracket(const unsigned char *p) {
    unsigned n = 1;
    n += p[n] == '^' || p[n] == '!';
    n += p[n] == ']';
    for (; p[n] != ']'; n++) {
        if (p[n] == 0 || p[n] == '[' || p[n] == '/' || p[n] > 127) {
            return 0;
        }
    }
    return n + 1;
}

/* As musl does: a range without a character before it begins at what stands there, and all ends at a bracket behind. */
static bool in_bracket(const unsigned char *p, unsigned c, bool folds) {
    const unsigned other = folds && (c | 32) - 'a' < 26 ? c ^ 32 : c;
    const bool negated = p[1] == '^' || p[1] == '!';
    p += 1 + negated;
    if (*p == ']' || *p == '-') {
        if (*p == c) {
            return !negated;
        }
        p++;
    }
    for (unsigned low = p[-1]; *p != ']'; p++) {
        if (*p == '-' && p[1] != ']') {
            if (low <= p[1] && (c - low <= p[1] - low || other - low <= p[1] - low)) {
                return !negated;
            }
            continue;
        }
        low = *p;
        if (low == c || low == other) {
            return !negated;
        }
    }
    return negated;
}

/* How many characters all matches of a pattern without a star have; LEFT_TO_MUSL, or LISTS for one with a star. */
INLINE int fixed_length(const unsigned char *p, unsigned char escape, const bool lists) {
    int n = 0;
    for (; *p != 0; p++, n++) {
        if (*p > 127) {
            return LEFT_TO_MUSL;
        }
        if (*p == '*') {
            return LISTS;
        }
        if (*p == escape && p[1] != 0) {
            p++;
            if (*p > 127) {
                return LEFT_TO_MUSL;
            }
        } else if (*p == '[') {
            const unsigned length = lists ? bracket(p) : 0;
            if (length == 0) {
                return LEFT_TO_MUSL;
            }
            p += length - 1;
        }
    }
    return n;
}

/* The answer, or LEFT_TO_MUSL; without `lists` LISTS for a pattern with a bracket. */
INLINE int match(const unsigned char *p, const unsigned char *s, int flags, const bool folds,
                 const bool lists) {
    /* Where the last star has come to: the pattern behind it, and how much of the text it has taken. */
    const unsigned char *after_star = NULL, *taken = NULL;
    const unsigned char border = flags & FNM_PATHNAME ? '/' : 0, escape = flags & FNM_NOESCAPE ? 0 : '\\';
    if (flags & FNM_PERIOD && *s == '.' && *p != '.') {
        return FNM_NOMATCH;
    }
    for (;;) {
        unsigned char c = *p;
        if (c == *s && (unsigned)(c | 32) - 'a' < 26) {
            p++;
            s++;
            continue;
        }
        unsigned step = 1;
        bool any = false, listed = false;
        if (c == '*') {
            do {
                c = *++p;
            } while (c == '*');
            after_star = p;
            taken = s;
            const int length = border != 0 ? LISTS : fixed_length(p, escape, lists);
            if (length == LEFT_TO_MUSL) {
                return lists ? LEFT_TO_MUSL : LISTS;
            }
            if (length >= 0) {
                /* What is behind the last star is matched from the end. */
                const size_t left = strlen((const char *)s);
                if (left < (size_t)length) {
                    return FNM_NOMATCH;
                }
                s += left - (size_t)length;
                unsigned all = 0;
                for (int i = 0; i < length; i++) {
                    all |= s[i];
                }
                if (all > 127) {
                    return LEFT_TO_MUSL;
                }
                after_star = NULL;
            }
        }
        if (c > 127) {
            return LEFT_TO_MUSL;
        }
        if (c == '?') {
            any = true;
        } else if (c == '[') {
            if (!lists) {
                return LISTS;
            }
            any = listed = true;
            step = bracket(p);
            if (step == 0) {
                return LEFT_TO_MUSL;
            }
        } else if (c == escape && c != 0 && p[1] != 0) {
            c = p[1];
            step = 2;
            if (c > 127) {
                return LEFT_TO_MUSL;
            }
        }
        c = fold(c, folds);
        if (after_star == p && !any) {
            /* The star takes all up to the character behind it. */
            while (fold(*s, folds) != c) {
                if (*s == 0 || *s == border) {
                    return FNM_NOMATCH;
                }
                if (*s > 127) {
                    return LEFT_TO_MUSL;
                }
                s++;
            }
            taken = s;
        } else if (any ? *s == 0 || *s == border || (listed && *s < 128 && !in_bracket(p, *s, folds))
                       : fold(*s, folds) != c) {
            /* The star takes one more. */
            if (*s > 127) {
                return LEFT_TO_MUSL;
            }
            if (after_star == NULL || *taken == 0 || *taken == border) {
                return FNM_NOMATCH;
            }
            p = after_star;
            s = ++taken;
            continue;
        } else if (*s > 127) {
            return LEFT_TO_MUSL;
        }
        if (c == 0) {
            return 0;
        }
        p += step;
        s++;
        if (c == border && !any) {
            after_star = NULL;
            if (flags & FNM_PERIOD && *s == '.' && *p != '.') {
                return FNM_NOMATCH;
            }
        }
    }
}

static NOINLINE int with_lists(const char *pattern, const char *text, int flags) {
    const bool folds = flags & FNM_CASEFOLD;
    const int answer = match((const unsigned char *)pattern, (const unsigned char *)text, flags, folds, true);
    return answer != LEFT_TO_MUSL ? answer : __brawn_musl_fnmatch(pattern, text, flags);
}

int fnmatch(const char *pattern, const char *text, int flags) {
    if (flags & ~(FNM_PATHNAME | FNM_NOESCAPE | FNM_PERIOD)) {
        return flags & ~(FNM_PATHNAME | FNM_NOESCAPE | FNM_PERIOD | FNM_CASEFOLD)
                   ? __brawn_musl_fnmatch(pattern, text, flags)
                   : with_lists(pattern, text, flags);
    }
    const int answer =
        match((const unsigned char *)pattern, (const unsigned char *)text, flags, false, false);
    if (answer == LISTS) {
        return with_lists(pattern, text, flags);
    }
    return answer != LEFT_TO_MUSL ? answer : __brawn_musl_fnmatch(pattern, text, flags);
}
