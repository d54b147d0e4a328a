/*
 * The name of a variable, and whether a variable has it: eight bytes at a time, the name's and the '=' behind it.
 *
 * Eight bytes are read where the bytes before them are the name's, so that the first of them is the variable's, and where
 * they lie in one page: that page is mapped. Otherwise bytes are compared one by one.
 */
#ifndef BRAWN_NAME_H
#define BRAWN_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern char **__environ;

/* The lowest byte is the first on both architectures. */
typedef uint64_t word __attribute__((may_alias, aligned(1)));

struct name {
    const char *text;
    size_t length;   /* up to the '=' or the end */
    uint64_t first;  /* its first eight letters; if it has fewer, they and the '=' */
    unsigned unread; /* bits of `first` that are of neither */
};

static inline bool within_page(const char *s) {
    return ((uintptr_t)s & 4095) <= 4096 - sizeof(word);
}

/* The highest bit of each byte that is 0, and perhaps of bytes behind the first such. */
static inline uint64_t zeros(uint64_t bytes) {
    const uint64_t ones = UINT64_MAX / 255;
    return (bytes - ones) & ~bytes & ones << 7;
}

static inline size_t name_length(const char *text) {
    size_t length = 0;
    for (; within_page(text + length); length += 8) {
        const uint64_t bytes = *(const word *)(text + length);
        const uint64_t ends = zeros(bytes) | zeros(bytes ^ UINT64_MAX / 255 * '=');
        if (ends) {
            return length + (size_t)__builtin_ctzll(ends) / 8;
        }
    }
    while (text[length] && text[length] != '=') {
        length++;
    }
    return length;
}

static inline struct name name_of(const char *text, size_t length) {
    struct name name = {.text = text, .length = length};
    if (length >= 8) {
        name.first = *(const word *)text;
        return name;
    }
    name.first = '=';
    while (length) {
        /* So that the loop is not unrolled. */
        __asm__("" : "+r"(length));
        name.first = name.first << 8 | (unsigned char)text[--length];
    }
    name.unread = 8 * (unsigned)(7 - name.length);
    return name;
}

/* Whether the bytes from `i` on are the rest of the name and a '='. */
static inline bool goes_on(const char *variable, const struct name *name, size_t i) {
    for (; i + 8 <= name->length && within_page(variable + i); i += 8) {
        if (*(const word *)(variable + i) != *(const word *)(name->text + i)) {
            return false;
        }
    }
    if (i && i + 8 > name->length && within_page(variable + name->length - 7)) {
        const uint64_t last = *(const word *)(name->text + name->length - 8) >> 8;
        return *(const word *)(variable + name->length - 7) == (last | (uint64_t)'=' << 56);
    }
    for (; i < name->length; i++) {
        if (variable[i] != name->text[i]) {
            return false;
        }
    }
    return variable[i] == '=';
}

static inline bool has_name(const char *variable, const struct name *name) {
    if (!within_page(variable)) {
        return goes_on(variable, name, 0);
    }
    if ((*(const word *)variable ^ name->first) << name->unread) {
        return false;
    }
    return name->length < 8 || goes_on(variable, name, 8);
}

#endif
