/* The two-way algorithm of Crochemore and Perrin ("Two-way string-matching", Journal of the ACM 38(3), 1991):
 * the needle is cut at a critical position; its right part is compared from the cut on, then its left part.
 */
#ifndef BRAWN_TWO_WAY_H
#define BRAWN_TWO_WAY_H

#include "brawn_string.h"

/* Where the largest suffix of the needle begins, in the order of bytes or in the opposite order, and its
 * period. */
INLINE size_t largest_suffix(const unsigned char *needle, size_t length, bool opposite, size_t *period) {
    size_t suffix = 0, candidate = 1, matched = 0;
    *period = 1;
    while (candidate + matched < length) {
        const unsigned char a = needle[suffix + matched], b = needle[candidate + matched];
        if (a == b) {
            matched++;
            if (matched == *period) {
                candidate += *period;
                matched = 0;
            }
        } else if (opposite ? b > a : b < a) {
            candidate += matched + 1;
            matched = 0;
            *period = candidate - suffix;
        } else {
            suffix = candidate;
            candidate = suffix + 1;
            matched = 0;
            *period = 1;
        }
    }
    return suffix;
}

COLD static void *search_two_way(const unsigned char *s, size_t positions, const unsigned char *needle,
                                 size_t length) {
    size_t period, other_period;
    size_t cut = largest_suffix(needle, length, false, &period);
    const size_t other_cut = largest_suffix(needle, length, true, &other_period);
    if (other_cut > cut) {
        cut = other_cut;
        period = other_period;
    }
    bool periodic = true;
    for (size_t i = 0; i < cut && periodic; i++) {
        periodic = i + period < length && needle[i] == needle[i + period];
    }
    if (!periodic) {
        period = (cut > length - cut ? cut : length - cut) + 1;
    }
    size_t remembered = 0; /* how many bytes of the left part are known to match, in a periodic needle */
    for (size_t at = 0; at < positions;) {
        size_t right = cut > remembered ? cut : remembered;
        while (right < length && needle[right] == s[at + right]) {
            right++;
        }
        if (right < length) {
            at += right - cut + 1;
            remembered = 0;
            continue;
        }
        size_t left = cut;
        while (left > remembered && needle[left - 1] == s[at + left - 1]) {
            left--;
        }
        if (left <= remembered) {
            return (void *)(s + at);
        }
        at += period;
        remembered = periodic ? length - period : 0;
    }
    return NULL;
}

#endif
