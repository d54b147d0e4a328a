/* What every match begins with: bytes at two offsets, by which vectors find where one can be. */

#include "../bits.h"
#include "machine.h"

/* The positions with those behind their assertions, as if all held. */
static void through_assertions(const struct program *program, places *set) {
    for (places seen = {{0}};;) {
        places more = {{0}};
        EACH(set, at) {
            if (at != 0 && program->what[at] >= LINE_BEGIN && !has(&seen, at)) {
                add(&seen, at);
                join(&more, &program->follow[at]);
            }
        }
        uint64_t any = 0;
        for (int i = 0; i < WORDS; i++) {
            any |= more.word[i] & ~set->word[i];
        }
        join(set, &more);
        if (any == 0) {
            return;
        }
    }
}

/* How much of a usual text is made of these, about, in thousandths. */
static unsigned weight(const uint64_t ascii[2]) {
    static const uint64_t letters = 0x07fffffe, common = 0x001cc222; /* a e i n o r s t */
    unsigned sum = 0;
    if (ascii[0] >> ' ' & 1) {
        sum += 150;
    }
    sum += 6 * (unsigned)kit_popcount(ascii[0] & ~((uint64_t)1 << ' '));
    sum += 8 * (unsigned)kit_popcount(ascii[1] & ~(letters << 32));
    sum += 64 * (unsigned)kit_popcount(ascii[1] >> 32 & common);
    sum += 20 * (unsigned)kit_popcount(ascii[1] >> 32 & letters & ~common);
    return sum;
}

/* The ranges of a set; false if there are too many. */
static bool ranges(const uint64_t ascii[2], struct filter *filter) {
    filter->ranges = 0;
    for (unsigned c = 1; c < 128; c++) {
        if (!(ascii[c / 64] >> c % 64 & 1)) {
            continue;
        }
        if (filter->ranges == RANGES) {
            return false;
        }
        const unsigned low = c;
        while (c < 127 && ascii[(c + 1) / 64] >> (c + 1) % 64 & 1) {
            c++;
        }
        filter->low[filter->ranges] = (uint8_t)low;
        filter->span[filter->ranges++] = (uint8_t)(c - low);
    }
    return filter->ranges > 0;
}

void __brawn_regex_begin(const struct program *program, struct machine *machine) {
    enum { USELESS = 500 };
    unsigned best[2] = {USELESS, USELESS};
    machine->filters = 0;
    machine->begin[0] = machine->begin[1] = ~(uint64_t)0;
    places level = machine->later;
    for (unsigned offset = 0; offset < LEVELS; offset++) {
        through_assertions(program, &level);
        uint64_t ascii[2] = {0, 0};
        places next = {{0}};
        bool beyond = has(&level, 0);
        EACH(&level, at) {
            if (at != 0 && program->what[at] < LINE_BEGIN) {
                const struct set *set = &program->set[program->what[at]];
                ascii[0] |= set->ascii[0];
                ascii[1] |= set->ascii[1];
                beyond |= set->negated || set->classes != 0;
                join(&next, &program->follow[at]);
            }
        }
        /* Behind characters of several bytes the offsets differ. */
        if (beyond) {
            return;
        }
        if (offset == 0) {
            machine->begin[0] = ascii[0];
            machine->begin[1] = ascii[1];
        }
        struct filter filter = {.offset = (uint8_t)offset};
        const unsigned cost = weight(ascii);
        if (cost < best[1] && ranges(ascii, &filter)) {
            const bool first = cost < best[0];
            if (first) {
                machine->filter[1] = machine->filter[0];
                best[1] = best[0];
            }
            machine->filter[!first] = filter;
            best[!first] = cost;
            machine->filters += machine->filters < 2;
        }
        level = next;
    }
}
