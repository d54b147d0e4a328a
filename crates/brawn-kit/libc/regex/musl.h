/* What of musl's <regex.h> and <wctype.h> the family takes, the same in musl 1.2.2 to 1.2.6. */
#ifndef BRAWN_REGEX_MUSL_H
#define BRAWN_REGEX_MUSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

/* musl's functions use `opaque` alone. In the first word of its padding the kit keeps its program. */
typedef struct {
    size_t nsub;
    void *opaque;
    void *program;
    void *padding[3];
    size_t nsub2;
    char padding2;
} regex_t;

typedef ptrdiff_t regoff_t;

typedef struct {
    regoff_t so, eo;
} regmatch_t;

enum { REG_EXTENDED = 1, REG_ICASE = 2, REG_NEWLINE = 4, REG_NOSUB = 8 };
enum { REG_NOTBOL = 1, REG_NOTEOL = 2 };
enum { REG_OK = 0, REG_NOMATCH = 1, REG_ESPACE = 12 };

#pragma GCC visibility push(default)
int regcomp(regex_t *restrict preg, const char *restrict pattern, int cflags);
int regexec(const regex_t *restrict preg, const char *restrict text, size_t nmatch,
            regmatch_t *restrict pmatch, int eflags);
void regfree(regex_t *preg);
int fnmatch(const char *pattern, const char *text, int flags);

int __brawn_musl_regcomp(regex_t *restrict preg, const char *restrict pattern, int cflags);
int __brawn_musl_regexec(const regex_t *restrict preg, const char *restrict text, size_t nmatch,
                         regmatch_t *restrict pmatch, int eflags);
void __brawn_musl_regfree(regex_t *preg);
int __brawn_musl_fnmatch(const char *pattern, const char *text, int flags);

size_t __ctype_get_mb_cur_max(void);
int iswctype(unsigned wc, unsigned long type);
unsigned long wctype(const char *name);
unsigned towlower(unsigned wc);
unsigned towupper(unsigned wc);
void *malloc(size_t size);
void free(void *p);
void *memcpy(void *restrict to, const void *restrict from, size_t n);
size_t strlen(const char *s);
#pragma GCC visibility pop

#endif
