/*
 * Doubles and floats that scanf reads, by strtod and strtof where the text lies in the stream's buffer, to the byte behind it.
 * All else is musl's: what strtod itself leaves to it, hexadecimal numbers, infinities, long doubles, and matches that fail.
 * So is all of it on aarch64, where to make a long double takes a compiler's own library.
 */

#include "../stdio/stream.h"

HIDDEN long double __floatscan(struct stream *file, int precision, int put_back);
HIDDEN long double __brawn_musl___floatscan(struct stream *file, int precision, int put_back);
PUBLIC double strtod(const char *restrict s, char **restrict end);
PUBLIC float strtof(const char *restrict s, char **restrict end);

enum { SINGLE = 0, DOUBLE = 1 };

static int digit(unsigned char c) {
    return c - '0' < 10u;
}

static int of_a_number(unsigned char c) {
    return digit(c) || c == '.' || c == '+' || c == '-' || (c | 32) == 'e';
}

/* Whether the stream is a text in memory, which ends where what has been read ends. */
static int at_the_end_of_a_text(const struct stream *file) {
    return file->shend == file->rend && file->cookie == file->rend && *file->rend == 0;
}

long double __floatscan(struct stream *file, int precision, int put_back) {
    /* strtod and its like come from the kit's with an endless buffer. */
    if (file->rend != (unsigned char *)-1 && (precision == SINGLE || precision == DOUBLE)) {
        const unsigned char *first = file->rpos;
        while (first != file->shend && (*first == ' ' || *first - '\t' < 5u)) {
            first++;
        }
        const unsigned char *behind = first;
        while (behind != file->shend && of_a_number(*behind)) {
            behind++;
        }
        if (behind != first && (behind != file->shend || at_the_end_of_a_text(file))) {
            const unsigned char *head = first + (*first == '+' || *first == '-');
            char *end;
            /* One byte more is looked at: neither it nor what is behind it belongs to the number. */
            if ((digit(*head) || (*head == '.' && digit(head[1]))) &&
                !(*head == '0' && (head[1] | 32) == 'x')) {
                const long double result = precision == DOUBLE
                                               ? (long double)strtod((const char *)first, &end)
                                               : (long double)strtof((const char *)first, &end);
                /* Half an exponent is no number to scanf. */
                if ((*end | 32) != 'e') {
                    file->rpos = (unsigned char *)end;
                    return result;
                }
            }
        }
    }
    return __brawn_musl___floatscan(file, precision, put_back);
}
