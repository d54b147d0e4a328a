/* LLVMFuzzerTestOneInput, for libFuzzer (clang -fsanitize=fuzzer) or for fuzz_driver.c. The first byte of an
 * input chooses the level and the second the action; the rest is the action's. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PLACES 5
#define PLACE_BYTES ((size_t)8192)

static unsigned char *places[PLACES];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#if defined(__x86_64__) && !defined(BRAWN_LEVEL)
extern unsigned char brawn___brawn_string_level;
unsigned brawn___brawn_string_detect(void);
#endif

static unsigned char *place(int where) {
    if (!places[where]) {
        unsigned char *const memory =
            mmap(NULL, PLACE_BYTES + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED || mprotect(memory + 4096, PLACE_BYTES, PROT_READ | PROT_WRITE)) {
            perror("mmap");
            exit(2);
        }
        places[where] = memory + 4096;
    }
    return places[where];
}

size_t take_number(struct input *input, size_t limit) {
    size_t number = 0;
    for (int i = 0; i < 2 && input->size; i++) {
        number = number << 8 | *input->data++;
        input->size--;
    }
    return number % limit;
}

static unsigned char *take_place(struct input *input, int where, size_t n) {
    const size_t offset = take_number(input, 128);
    return offset & 1 ? place(where) + PLACE_BYTES - n - offset / 2 : place(where) + offset / 2;
}

unsigned char *take_operand(struct input *input, int where, size_t *n) {
    const size_t header = input->size < 2 ? input->size : 2;
    if (*n > input->size - header) {
        *n = input->size - header;
    }
    unsigned char *const operand = take_place(input, where, *n);
    memcpy(operand, input->data, *n);
    input->data += *n;
    input->size -= *n;
    return operand;
}

void take_room(struct input *input, size_t n, unsigned char **room, unsigned char **expected) {
    *room = take_place(input, 3, n);
    *expected = place(4) + (*room - place(3));
    memset(place(3), 0xa5, PLACE_BYTES);
    memset(place(4), 0xa5, PLACE_BYTES);
}

void same(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "FAILED: %s\n", what);
        abort();
    }
}

void same_rooms(const char *what) {
    same(memcmp(place(3), place(4), PLACE_BYTES) == 0, what);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) {
        return 0;
    }
#if defined(__x86_64__) && !defined(BRAWN_LEVEL)
    static unsigned highest;
    if (!highest) {
        highest = brawn___brawn_string_detect();
    }
    brawn___brawn_string_level = (unsigned char)(1 + data[0] % highest);
#endif
    size_t memory = 0, string = 0;
    while (memory_actions[memory].name) {
        memory++;
    }
    while (string_actions[string].name) {
        string++;
    }
    const size_t which = data[1] % (memory + string);
    struct input input = {data + 2, size - 2};
    (which < memory ? memory_actions[which] : string_actions[which - memory]).run(&input);
    return 0;
}
