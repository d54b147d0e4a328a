/* The two-way string matching algorithm (Crochemore and Perrin, "Two-way string-matching", Journal of the ACM
 * 38(3), 1991), for what strstr, strcasestr and memmem would take quadratic time on. The needle is cut where
 * its local period is its global one; a place is tried from the cut to the right, then from the cut to the
 * left. Time is linear in both lengths, space is constant. */
#include "brawn_string.h"
#include "fold.h"
#include "two_way.h"

size_t NAME(strnlen)(const char *s, size_t n);

INLINE unsigned byte_at(const char *s, size_t i, bool folded) {
    const unsigned byte = (unsigned char)s[i];
    return folded ? ascii_fold(byte) : byte;
}

/* Where the greatest suffix of the needle begins, by the order of bytes or by its reverse, and its period. */
static COLD size_t greatest_suffix(const char *needle, size_t length, bool folded, bool reverse,
                                   size_t *period) {
    size_t start = 0, candidate = 1, same = 0, cycle = 1;
    while (candidate + same < length) {
        const unsigned kept = byte_at(needle, start + same, folded);
        const unsigned tried = byte_at(needle, candidate + same, folded);
        if (kept == tried) {
            same++;
            if (same == cycle) {
                candidate += cycle;
                same = 0;
            }
        } else if ((tried < kept) != reverse) {
            candidate += same + 1;
            same = 0;
            cycle = candidate - start;
        } else {
            start = candidate++;
            same = 0;
            cycle = 1;
        }
    }
    *period = cycle;
    return start;
}

COLD char *NAME(__brawn_two_way)(const char *haystack, size_t known, const char *needle, size_t length,
                                 unsigned kind) {
    const bool folded = kind == TWO_WAY_FOLDED;
    size_t period, other_period, memory = 0;
    size_t cut = greatest_suffix(needle, length, folded, false, &period);
    const size_t other = greatest_suffix(needle, length, folded, true, &other_period);
    if (other > cut) {
        cut = other;
        period = other_period;
    }
    /* Whether the needle repeats with that period; if so, what a shift leaves in place need not be read
     * again. */
    bool periodic = cut + period <= length;
    for (size_t i = 0; periodic && i < cut; i++) {
        periodic = byte_at(needle, i, folded) == byte_at(needle, i + period, folded);
    }
    if (!periodic) {
        period = (cut > length - cut ? cut : length - cut) + 1;
    }
    for (;;) {
        /* `known` bytes from here on belong to the haystack. */
        if (known < length) {
            if (kind == TWO_WAY_MEMORY) {
                return NULL;
            }
            const size_t step = length > 512 ? length : 512;
            known += NAME(strnlen)(haystack + known, step);
            if (known < length) {
                return NULL;
            }
        }
        size_t i = cut > memory ? cut : memory;
        while (i < length && byte_at(needle, i, folded) == byte_at(haystack, i, folded)) {
            i++;
        }
        size_t shift;
        if (i < length) {
            shift = i - cut + 1;
            memory = 0;
        } else {
            i = cut;
            while (i > memory && byte_at(needle, i - 1, folded) == byte_at(haystack, i - 1, folded)) {
                i--;
            }
            if (i <= memory) {
                return (char *)(uintptr_t)haystack;
            }
            shift = period;
            memory = periodic ? length - period : 0;
        }
        haystack += shift;
        known -= shift < known ? shift : known;
    }
}
