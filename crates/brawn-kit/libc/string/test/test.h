/* A table-driven test of every string function at every level, against a naive oracle.
 *
 * A family brings a table of rows: a name, the function under test (with the prefix brawn_), its oracle, and
 * the check that knows the shape of its arguments. A check walks through sizes and placements and calls
 * expect(). */
#ifndef BRAWN_STRING_TEST_H
#define BRAWN_STRING_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* --- the table --------------------------------------------------------------------------------------- */

struct row;
typedef void check_function(const struct row *row);
typedef void any_function(void);

struct row {
    const char *name;
    check_function *check;
    any_function *ours;
    any_function *oracle;
};

#define ROW(function, check)                                                                                 \
    {#function, check, (any_function *)brawn_##function, (any_function *)oracle_##function}

extern const struct row memory_rows[], string_rows[]; /* each ends with a row of NULLs */

/* --- what to test ------------------------------------------------------------------------------------ */

extern bool long_mode; /* every placement of every size, instead of a rotating sample */

/* The number of the next size after n: 0 to 320 one by one, then around powers of two and thresholds up to
 * `last` bytes. Returns SIZE_MAX after the last. */
size_t next_size(size_t n, size_t last);
#define EACH_SIZE(n, last) for (size_t n = 0; n != SIZE_MAX; n = next_size(n, last))

/* Memory between two inaccessible pages. */
struct arena {
    unsigned char *begin, *end;
};
enum { SOURCE, TARGET, EXPECTED, ARENAS };
extern struct arena arenas[ARENAS];
#define ARENA_BYTES ((size_t)65 << 20)

/* Where two operands lie: each begins `offset` bytes after the first byte of its arena, or ends that many
 * bytes before the last. */
struct placement {
    size_t a, b;
    bool a_at_end, b_at_end;
    bool a_before_page,
        b_before_page; /* for strings: whether one at the beginning is moved to a page's end */
    unsigned step;
};
/* All 64 x 64 offsets at both ends for a size of at most 320 in the long mode; otherwise a sample which
 * rotates, so that all sizes together see every pair. `unit` is 1, or 4 for wide characters. */
bool next_placement(struct placement *placement, size_t bytes, size_t unit, bool one);
#define EACH_PLACEMENT(p, bytes, unit)                                                                       \
    for (struct placement p = {.step = 0}; next_placement(&p, bytes, unit, false);)
/* The same for functions of one operand: b is a number from 0 to 7, for what else is to vary. */
#define EACH_PLACE(p, bytes, unit)                                                                           \
    for (struct placement p = {.step = 0}; next_placement(&p, bytes, unit, true);)

/* How many contents to try at a placement: of the thousands that a small size has in the long mode, two
 * each. */
static inline int contents(int most, size_t bytes) {
    return long_mode && bytes <= 320 && most > 2 ? 2 : most;
}

/* The address of an operand of this many bytes. */
unsigned char *place(int arena, size_t bytes, size_t offset, bool at_end);
#define PLACE_A(p, arena, bytes) place(arena, bytes, (p).a, (p).a_at_end)
#define PLACE_B(p, arena, bytes) place(arena, bytes, (p).b, (p).b_at_end)

/* The next of a fixed sequence of pseudo-random numbers. */
uint32_t random_number(void);
void fill_random(unsigned char *p, size_t bytes);

/* --- outcome ----------------------------------------------------------------------------------------- */

/* Says what went wrong and, after a few times, gives up. */
void failed(const struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define expect(row, condition, ...)                                                                          \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            failed(row, __VA_ARGS__);                                                                        \
        }                                                                                                    \
        checks_made++;                                                                                       \
    } while (0)
extern unsigned long checks_made;

#endif
