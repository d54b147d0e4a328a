/*
 * Whole numbers that scanf reads, where the digits and the byte behind them lie in the stream's buffer. All else is musl's:
 * matches that fail, a 0 in front where the base is open or 16, and more digits than can be had without a look for
 * overflow.
 */

#include "../stdio/stream.h"

HIDDEN unsigned long long __intscan(struct stream *file, unsigned base, int put_back,
                                    unsigned long long limit);
HIDDEN unsigned long long __brawn_musl___intscan(struct stream *file, unsigned base, int put_back,
                                                 unsigned long long limit);

enum { SAFE_DIGITS = 18 };

/* Whether the stream is a text in memory, which ends where what has been read ends. */
static int at_the_end_of_a_text(const struct stream *file) {
    return file->shend == file->rend && file->cookie == file->rend && *file->rend == 0;
}

unsigned long long __intscan(struct stream *file, unsigned base, int put_back, unsigned long long limit) {
    /* The last texts that musl itself reads have an endless buffer, and other limits. */
    if (file->rend != (unsigned char *)-1 && (base == 10 || base == 0) && limit > 1000000000000000000) {
        const unsigned char *at = file->rpos;
        while (at != file->shend && (*at == ' ' || *at - '\t' < 5u)) {
            at++;
        }
        const int negative = at != file->shend && *at == '-';
        at += negative || (at != file->shend && *at == '+');
        const unsigned char *const first = at;
        unsigned long long value = 0;
        while (at != file->shend && *at - '0' < 10u) {
            value = value * 10 + (*at++ - '0');
        }
        if (at != first && at - first <= SAFE_DIGITS && (base == 10 || *first != '0') &&
            (at != file->shend || at_the_end_of_a_text(file))) {
            file->rpos = (unsigned char *)at;
            return negative ? -value : value;
        }
    }
    return __brawn_musl___intscan(file, base, put_back, limit);
}
