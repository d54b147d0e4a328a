/*
 * regcomp and regfree. What the kit can match itself it keeps as a program, and musl compiles it when a match asks for
 * submatches that only musl finds. All else musl compiles at once, so that errors are musl's own.
 */

#include "program.h"

int regcomp(regex_t *restrict preg, const char *restrict pattern, int cflags) {
    size_t groups;
    struct program *program = __brawn_regex_parse(pattern, cflags, &groups);
    preg->program = program;
    if (program == NULL) {
        return __brawn_musl_regcomp(preg, pattern, cflags);
    }
    preg->nsub = groups;
    preg->opaque = NULL;
    return REG_OK;
}

void regfree(regex_t *preg) {
    struct program *program = preg->program;
    if (program == NULL) {
        __brawn_musl_regfree(preg);
        return;
    }
    if (program->behind != NULL) {
        __brawn_musl_regfree(program->behind);
        free(program->behind);
    }
    free(program->machine);
    free(program);
}
