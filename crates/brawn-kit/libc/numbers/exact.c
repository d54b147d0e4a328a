/*
 * Numbers that decimal.h does not settle, rounded exactly in every mode: below the normal ones, on the border between two results,
 * with so many digits that 19 of them do not tell, and hexadecimal ones.
 *
 * A number is known by what is kept of it: its leading bits down to the one behind the last of a result, cut off, and whether it
 * is more than that. Of a decimal m 10^q with m below 2^64 those bits are computed exactly for the q from -27 to 27. For
 * others it is never equal to its leading bits, as 5^28 does not divide a number of 64 bits. With more digits it lies between m and
 * m + 1: where they differ in what is kept, whole numbers of any length are compared.
 */

#include "decimal.h"

enum { OUT_OF_RANGE = 34, EXACT_POWERS = 27, MOST_DIGITS = 800 };

extern int *__errno_location(void);

/* What is kept: bits 2^place, and more than that or not. */
struct kept {
    uint64_t bits;
    long place;
    bool more;
};

/* Of a leading bit at the top, with the lowest standing for 2^lowest, what a result may need. */
static __attribute__((noinline)) struct kept keep(unsigned __int128 leading, long lowest, struct form form) {
    long cut = 128 - (form.bits + 1);
    if (cut < form.lowest - 1 - lowest) {
        cut = form.lowest - 1 - lowest;
    }
    struct kept kept = {0, lowest + cut, true};
    if (cut < 128) {
        kept.bits = (uint64_t)(leading >> cut);
        kept.more = (leading & (((unsigned __int128)1 << cut) - 1)) != 0;
    }
    return kept;
}

static __attribute__((noinline)) uint64_t power_of_five(long n) {
    uint64_t power = 1;
    while (n--) {
        power *= 5;
    }
    return power;
}

static int leading_zeros(unsigned __int128 x) {
    return x >> 64 ? __builtin_clzll((uint64_t)(x >> 64)) : 64 + __builtin_clzll((uint64_t)x);
}

static __attribute__((noinline)) bool keep_decimal(uint64_t mantissa, long exponent, struct form form,
                                                   struct kept *kept) {
    unsigned __int128 leading;
    long lowest;
    if (exponent >= -EXACT_POWERS && exponent <= EXACT_POWERS) {
        const uint64_t power = power_of_five(exponent < 0 ? -exponent : exponent);
        if (exponent >= 0 || mantissa % power == 0) {
            leading = exponent >= 0 ? (unsigned __int128)mantissa * power : mantissa / power;
            const int zeros = leading_zeros(leading);
            *kept = keep(leading << zeros, exponent - zeros, form);
            return true;
        }
    }
    if (exponent > 319) {
        /* Beyond all results. */
        *kept = (struct kept){UINT64_C(1) << form.bits, 1100, true};
        return true;
    }
    if (exponent < -352) {
        /* Below 2^64 10^-353, so less than half of the lowest result. */
        *kept = (struct kept){0, form.lowest - 1, true};
        return true;
    }
    /* The true value is up to four units more. */
    if (!leading_bits(mantissa, exponent, &leading, &lowest) || leading > ~(unsigned __int128)4) {
        return false;
    }
    *kept = keep(leading, lowest, form);
    if (keep(leading + 4, lowest, form).bits != kept->bits) {
        return false;
    }
    kept->more = true;
    return true;
}

/* Whole numbers of up to 3,072 bits, the lowest word first. What is compared has no more than 2,700. */
enum { WORDS = 48 };

struct whole {
    int size;
    bool full;
    uint64_t words[WORDS];
};

static __attribute__((noinline)) void times_plus(struct whole *it, uint64_t factor, uint64_t more) {
    for (int i = 0; i < it->size; i++) {
        const unsigned __int128 product = (unsigned __int128)it->words[i] * factor + more;
        it->words[i] = (uint64_t)product;
        more = (uint64_t)(product >> 64);
    }
    if (more) {
        if (it->size == WORDS) {
            it->full = true;
            return;
        }
        it->words[it->size++] = more;
    }
}

static void times_five(struct whole *it, long n) {
    for (; n > EXACT_POWERS; n -= EXACT_POWERS) {
        times_plus(it, UINT64_C(7450580596923828125), 0);
    }
    times_plus(it, power_of_five(n), 0);
}

static void times_two(struct whole *it, long n) {
    times_plus(it, UINT64_C(1) << n % 64, 0);
    const int words = (int)(n / 64);
    if (it->size + words > WORDS) {
        it->full = true;
        return;
    }
    for (int i = it->size; i--;) {
        it->words[i + words] = it->words[i];
    }
    for (int i = 0; i < words; i++) {
        it->words[i] = 0;
    }
    it->size += words;
}

/* The sign of the number less bits 2^place, or 2 if that takes too long. */
static int compare(const struct decimal *it, uint64_t bits, long place) {
    struct whole ours, theirs;
    ours.size = 0;
    ours.full = theirs.full = false;
    /* A border has at most 768 digits, so that of those behind 800 only counts whether there are any but zeros. */
    const ptrdiff_t taken = it->span < MOST_DIGITS ? it->span : MOST_DIGITS;
    const char *at = it->significant;
    uint64_t part = 0, scale = 1;
    for (ptrdiff_t i = 0; i < taken; at++) {
        if (*at != '.') {
            part = part * 10 + digit_of(*at);
            scale *= 10;
            i++;
            if (scale == UINT64_C(1000000000000000000) || i == taken) {
                times_plus(&ours, scale, part);
                part = 0;
                scale = 1;
            }
        }
    }
    bool rest = false;
    for (ptrdiff_t i = taken; i < it->span; at++) {
        if (*at != '.') {
            rest |= *at != '0';
            i++;
        }
    }
    theirs.words[0] = bits;
    theirs.size = 1;
    const long exponent = it->exponent + 19 - (long)taken;
    if (exponent >= 0) {
        times_five(&ours, exponent);
    } else {
        times_five(&theirs, -exponent);
    }
    if (place >= exponent) {
        times_two(&theirs, place - exponent);
    } else {
        times_two(&ours, exponent - place);
    }
    if (ours.full || theirs.full) {
        return 2;
    }
    if (ours.size != theirs.size) {
        return ours.size < theirs.size ? -1 : 1;
    }
    for (int i = ours.size; i--;) {
        if (ours.words[i] != theirs.words[i]) {
            return ours.words[i] < theirs.words[i] ? -1 : 1;
        }
    }
    return rest;
}

/* The result's bits: carries go on into the exponent. */
static __attribute__((noinline)) uint64_t round_kept(struct kept kept, enum rounding rounding,
                                                     struct form form) {
    const uint64_t bits = kept.bits >> 1;
    const bool half = kept.bits & 1, inexact = half || kept.more;
    bool up = rounding == FROM_ZERO && inexact;
    if (rounding == TO_NEAREST) {
        up = half && (kept.more || (bits & 1));
    }
    const uint64_t result = ((uint64_t)(kept.place + 1 - form.lowest) << (form.bits - 1)) + bits + up;
    const uint64_t infinite = (uint64_t)(1 - 2 * (form.bits - 2 + form.lowest)) << (form.bits - 1);
    if (result >= infinite) {
        *__errno_location() = OUT_OF_RANGE;
        return infinite - (rounding == TO_ZERO);
    }
    if (inexact && !(result >> (form.bits - 1))) {
        *__errno_location() = OUT_OF_RANGE;
    }
    return result;
}

bool __brawn_exact(const struct decimal *it, enum rounding rounding, struct form form, uint64_t *result) {
    struct kept kept, above;
    *result = 0;
    if (!it->mantissa) {
        return true;
    }
    if (!keep_decimal(it->mantissa, it->exponent, form, &kept)) {
        return false;
    }
    if (it->more) {
        if (!keep_decimal(it->mantissa + 1, it->exponent, form, &above)) {
            return false;
        }
        /* Where they have another leading bit, the same place. */
        const long moved = above.place - kept.place;
        if (moved > 1) {
            return false;
        }
        above.bits <<= moved;
        int sign = 1;
        if (above.bits != kept.bits || !kept.more) {
            /* Perhaps all that follows is zeros. */
            const bool lower = above.bits == kept.bits;
            if (!lower && above.bits != kept.bits + 1) {
                return false;
            }
            sign = compare(it, above.bits, kept.place);
            if (sign == 2 || (lower && sign < 0)) {
                return false;
            }
            if (sign >= 0) {
                kept.bits = above.bits;
            }
        }
        kept.more = sign != 0;
    }
    *result = round_kept(kept, rounding, form);
    return true;
}

static unsigned hexadecimal_digit(char c) {
    const unsigned letter = ((unsigned)(unsigned char)c | 32) - 'a';
    return digit_of(c) < 10 ? digit_of(c) : letter < 6 ? letter + 10 : 16;
}

const char *__brawn_hexadecimal(const char *s, enum rounding rounding, struct form form, uint64_t *result) {
    const char *const zero = s + 1;
    s += 2;
    uint64_t mantissa = 0;
    long exponent = 0;
    bool any = false, more = false, fraction = false;
    for (;; s++) {
        const unsigned d = hexadecimal_digit(*s);
        if (d < 16) {
            any = true;
            if (mantissa >> 60) {
                more |= d != 0;
                exponent += 4;
            } else {
                mantissa = mantissa << 4 | d;
            }
            exponent -= fraction ? 4 : 0;
        } else if (*s == '.' && !fraction) {
            fraction = true;
        } else {
            break;
        }
    }
    *result = 0;
    if (!any) {
        return zero;
    }
    if ((*s | 32) == 'p') {
        const char *e = s + 1;
        const bool below = *e == '-';
        e += *e == '-' || *e == '+';
        if (digit_of(*e) < 10) {
            long value = 0;
            for (; digit_of(*e) < 10; e++) {
                value = value < 100000000 ? value * 10 + (long)digit_of(*e) : value;
            }
            exponent += below ? -value : value;
            s = e;
        }
    }
    if (!mantissa) {
        return s;
    }
    const int zeros = __builtin_clzll(mantissa);
    const int spare = zeros - (64 - form.bits);
    const long place = exponent - spare - form.lowest;
    if (spare >= 0 && place >= 0 && place < -2 * (form.bits - 2 + form.lowest)) {
        *result = ((uint64_t)place << (form.bits - 1)) + (mantissa << spare);
        return s;
    }
    if (exponent > 2000) {
        exponent = 2000;
    }
    struct kept kept = keep((unsigned __int128)mantissa << (64 + zeros), exponent - 64 - zeros, form);
    kept.more |= more;
    *result = round_kept(kept, rounding, form);
    return s;
}
