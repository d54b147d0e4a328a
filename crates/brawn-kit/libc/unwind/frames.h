/* Unwinding by the tables of .eh_frame: what the files of this family share. */
#ifndef BRAWN_FRAMES_H
#define BRAWN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t word;

/* Registers that a caller finds unchanged, and what leads to it. The columns are DWARF's numbers where not said otherwise. */
#if defined(__x86_64__)
enum { COLUMNS = 17, STACK = 7, PC = 16, SAVED = 7 };
#elif defined(__aarch64__)
/* Behind sp come the pc and d8 to d15, which DWARF numbers from 72. */
enum { COLUMNS = 41, STACK = 31, PC = 32, VECTORS = 33, SAVED = 20 };
#else
#error "another architecture"
#endif

enum row_flags {
    ROW_NONE = 1,     /* no table says anything: the end of the stack */
    ROW_SIGNAL = 2,   /* its caller was interrupted, and made no call */
    ROW_SLOW = 4,     /* only the table itself tells how to go on */
    ROW_SIGRETURN = 8 /* what the kernel put on the stack tells how */
};

/* How to go on from one place in the code. Addresses count from the image's first byte, and 0 is none. */
struct row {
    uint64_t head; /* the place, above a count that is odd while the row changes */
    uint32_t start, data, personality;
    int32_t cfa_offset;
    uint8_t cfa_register, flags, count, padding;
    uint32_t arguments; /* bytes that the call has pushed, or an FDE where only that tells */
    struct saved {
        int16_t slot; /* in words from the CFA */
        uint16_t column;
    } saved[SAVED + 1];
};

/* One frame, as its caller's callee left it. */
struct _Unwind_Context {
    word r[COLUMNS];
    word start, data, personality; /* the function, its data for the personality, and that */
    word place;                    /* in the function: of the call, or exact */
    const uint8_t *fde;            /* of a slow row */
    bool exact;                    /* the pc is that of the next instruction, and not behind a call */
    struct row row;
};

/* The one executable: found once, at the first look. */
struct image {
    word low, high;        /* all of it */
    word code, code_end;   /* the segment that can be executed */
    word read, read_end;   /* what no one writes, from the first such segment to the last */
    const uint8_t *table;  /* sorted pairs of function and FDE */
    const uint8_t *header; /* from where they are counted */
    const uint8_t *frames; /* .eh_frame, where there are no such pairs */
    size_t count;
};

/* What an FDE says before its instructions, with what its CIE says. */
struct fde {
    const uint8_t *begin, *program, *end;
    const uint8_t *first_program, *first_end;
    word start, size, data, personality, code_align;
    intptr_t data_align;
    word return_column;
    uint8_t encoding;
    bool signal, key_b;
};

enum rule {
    RULE_SAME,
    RULE_UNDEFINED,
    RULE_OFFSET,
    RULE_VALUE_OFFSET,
    RULE_REGISTER,
    RULE_EXPRESSION,
    RULE_VALUE
};

/* A row of the table in full. */
struct rules {
    uint8_t kind[COLUMNS];
    intptr_t value[COLUMNS]; /* an offset, a column, or the place of an expression */
    bool cfa_is_expression, is_signed;
    word cfa_column;
    intptr_t cfa_value;
    word arguments;
};

/* eh_find.c */
/* Puts it into `own` where it is not kept yet. */
const struct image *__brawn_unwind_image(struct image *own);
const uint8_t *__brawn_unwind_find(const struct image *image, word pc, struct fde *fde);
bool __brawn_unwind_decode(const uint8_t *entry, struct fde *fde, const uint8_t *low);
const uint8_t *__brawn_unwind_scan(const uint8_t *frames, word pc, struct fde *fde, bool one);
/* eh_registered.c */
enum { OBJECT_TABLE = 1 };
const uint8_t *__brawn_unwind_registered(word pc, struct fde *fde);
void __brawn_unwind_add(const void *begin, void *memory, unsigned kind);
void *__brawn_unwind_take(const void *begin);
/* eh_rules.c */
bool __brawn_unwind_rules(const struct fde *fde, word pc, struct rules *rules);
bool __brawn_unwind_apply(const struct fde *fde, const struct rules *rules, struct _Unwind_Context *context);
/* eh_frame.c */
bool __brawn_unwind_look(struct _Unwind_Context *context);
bool __brawn_unwind_step(struct _Unwind_Context *context);

/* What is done once for a place in the code is to be small. */
#define BRAWN_OUTLINE __attribute__((noinline, unused))

/* Bytes of a table, and where they end. */
struct reader {
    const uint8_t *at, *end;
    bool failed;
};

BRAWN_OUTLINE static uint64_t read_fixed(struct reader *from, unsigned size) {
    uint64_t value = 0;
    if ((size_t)(from->end - from->at) < size) {
        from->failed = true;
        from->at = from->end;
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)from->at[i] << 8 * i;
    from->at += size;
    return value;
}

static inline uint8_t read_byte(struct reader *from) {
    if (from->at >= from->end) {
        from->failed = true;
        return 0;
    }
    return *from->at++;
}

BRAWN_OUTLINE static uint64_t read_uleb(struct reader *from) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = read_byte(from);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

BRAWN_OUTLINE static int64_t read_sleb(struct reader *from) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = read_byte(from);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && (byte & 0x40))
        value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
}

word __brawn_unwind_pointer(struct reader *from, uint8_t encoding, word function);

/* The column of a register by DWARF's number; COLUMNS where none is kept. */
static inline word column(word number) {
#if defined(__x86_64__)
    return number < COLUMNS ? number : COLUMNS;
#else
    if (number <= PC)
        return number;
    return number >= 72 && number < 80 ? number - 72 + VECTORS : COLUMNS;
#endif
}

#endif
