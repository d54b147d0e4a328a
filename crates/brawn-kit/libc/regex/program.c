/* From the expression to its program. */

#include "parser.h"

static bool overlap(const struct set *a, const struct set *b) {
    const bool beyond = (a->negated || a->classes != 0) && (b->negated || b->classes != 0);
    return beyond || (a->ascii[0] & b->ascii[0]) != 0 || (a->ascii[1] & b->ascii[1]) != 0;
}

/* In a row each element must know its end by the next character: then there is but one way to match it. */
static bool clear(const struct parser *p) {
    for (unsigned i = 0; i < p->elements; i++) {
        const struct element *of = &p->element[i];
        if (of->set >= OPEN || of->least == of->most) {
            continue;
        }
        for (unsigned j = i + 1; j < p->elements; j++) {
            const struct element *next = &p->element[j];
            if (next->set >= OPEN) {
                continue;
            }
            if (overlap(&p->set[of->set], &p->set[next->set])) {
                return false;
            }
            if (next->least > 0) {
                break;
            }
        }
    }
    return true;
}

/* The finished program, in one block of memory. */
static struct program *finish(const struct parser *p, const places *first, size_t length) {
    const size_t follow = p->positions * sizeof(places), sets = p->sets * sizeof(struct set),
                 elements = p->row ? p->elements * sizeof(struct element) : 0;
    struct program *program = malloc(sizeof *program + follow + sets + elements + p->positions + length + 1);
    if (program == NULL) {
        return NULL;
    }
    char *to = (char *)(program + 1);
    char *const to_follow = to, *const to_sets = to_follow + follow, *const to_elements = to_sets + sets,
                *const to_what = to_elements + elements, *const to_pattern = to_what + p->positions;
    memcpy(to_follow, p->follow, follow);
    memcpy(to_sets, p->set, sets);
    memcpy(to_elements, p->element, elements);
    memcpy(to_what, p->what, p->positions);
    *program = (struct program){
        .flags = p->flags,
        .positions = (uint16_t)p->positions,
        .sets = (uint16_t)p->sets,
        .elements = p->row ? (uint16_t)p->elements : 0,
        .assertions = p->assertions,
        .row = p->row,
        .first = *first,
        .follow = (const places *)(const void *)to_follow,
        .set = (const struct set *)(const void *)to_sets,
        .element = (const struct element *)(const void *)to_elements,
        .what = (const uint8_t *)to_what,
        .pattern = to_pattern,
    };
    return program;
}

struct program *__brawn_regex_parse(const char *pattern, int flags, size_t *groups) {
    if (flags & ~(REG_EXTENDED | REG_ICASE | REG_NEWLINE | REG_NOSUB)) {
        return NULL;
    }
    struct parser *p = malloc(sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->s = p->start = pattern;
    p->flags = flags;
    p->groups = p->sets = p->elements = p->work = p->apart = 0;
    p->positions = 1;
    p->assertions = 0;
    p->row = true;
    p->follow[0] = (places){{0}};
    struct part all;
    struct program *program = NULL;
    if (__brawn_regex_branches(p, &all, 0) && *p->s == 0) {
        const places end = {{1}};
        __brawn_regex_connect(p, &all.last, &end);
        if (all.empty) {
            add(&all.first, 0);
        }
        p->row = p->row && clear(p);
        const size_t length = (size_t)(p->s - pattern);
        program = finish(p, &all.first, length);
        if (program != NULL) {
            memcpy((char *)program->pattern, pattern, length + 1);
            *groups = p->groups;
        }
    }
    free(p);
    return program;
}
