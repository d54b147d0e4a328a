/* Coverage-guided fuzzing of the string functions against their oracles: each family brings a table of
 * actions. */
#ifndef BRAWN_STRING_FUZZ_H
#define BRAWN_STRING_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* What is left of the bytes that the fuzzer made up. */
struct input {
    const uint8_t *data;
    size_t size;
};

/* A number below `limit`, from the next two bytes; 0 when there are no more. */
size_t take_number(struct input *input, size_t limit);

/* Copies the next n bytes, or fewer when there are no more, behind `before` bytes from the beginning of a
 * page that follows an inaccessible one, or to the end of the last page before one. *n becomes how many there
 * are. `where` is 0 to 2: operands of one call need different places. */
unsigned char *take_operand(struct input *input, int where, size_t *n);

/* Room for n bytes in such a place, and a second room for what the oracle writes; both hold the same
 * bytes. */
void take_room(struct input *input, size_t n, unsigned char **room, unsigned char **expected);

/* Both rooms, and what lies around them, hold the same bytes. */
void same_rooms(const char *what);

/* Ends the program, which is how a fuzzer learns of a failure. */
void same(int condition, const char *what);

struct action {
    const char *name;
    void (*run)(struct input *input);
};
extern const struct action memory_actions[], string_actions[]; /* each ends with NULLs */

#endif
