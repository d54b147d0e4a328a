/*
 * getenv: one pass over the environment that compares eight bytes at a time, the name's and the '=' behind it. musl's
 * compares by strncmp for each variable.
 *
 * Eight bytes are read where the bytes before them are the name's, so that the first of them is the variable's, and where
 * they lie in one page: that page is mapped. Otherwise bytes are compared one by one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern char **__environ;

char *getenv(const char *name);

/* The lowest byte is the first on both architectures. */
typedef uint64_t word __attribute__((may_alias, aligned(1)));

static inline bool within_page(const char *s) {
    return ((uintptr_t)s & 4095) <= 4096 - sizeof(word);
}

/* The first bytes of a name of fewer than eight letters and a '=', and no other bytes. */
static inline bool begins_short(const char *variable, uint64_t wanted, unsigned bits) {
    if (within_page(variable)) {
        return !((*(const word *)variable ^ wanted) << bits);
    }
    for (; wanted; wanted >>= 8, variable++) {
        if (*variable != (char)wanted) {
            return false;
        }
    }
    return true;
}

/* A name of eight letters or more, whose last seven and the '=' are in `last`. */
static inline bool begins_long(const char *variable, const char *name, size_t length, uint64_t last) {
    size_t i = 0;
    for (; i + 8 <= length && within_page(variable + i); i += 8) {
        if (*(const word *)(variable + i) != *(const word *)(name + i)) {
            return false;
        }
    }
    if (i + 8 > length && within_page(variable + length - 7)) {
        return *(const word *)(variable + length - 7) == last;
    }
    for (; i < length; i++) {
        if (variable[i] != name[i]) {
            return false;
        }
    }
    return variable[i] == '=';
}

char *getenv(const char *name) {
    char **at = __environ;
    size_t length = 0;
    uint64_t first = 0;
    for (; name[length] && name[length] != '='; length++) {
        if (length < 8) {
            first |= (uint64_t)(unsigned char)name[length] << 8 * length;
        }
    }
    /* An empty name and one with a '=' in it are the names of nothing. */
    if (!at || !length || name[length]) {
        return NULL;
    }
    if (length < 8) {
        const uint64_t wanted = first | (uint64_t)'=' << 8 * length;
        const unsigned bits = 8 * (unsigned)(7 - length);
        for (char *variable; (variable = *at); at++) {
            if (begins_short(variable, wanted, bits)) {
                return variable + length + 1;
            }
        }
    } else {
        const uint64_t last = *(const word *)(name + length - 8) >> 8 | (uint64_t)'=' << 56;
        for (char *variable; (variable = *at); at++) {
            if (begins_long(variable, name, length, last)) {
                return variable + length + 1;
            }
        }
    }
    return NULL;
}
