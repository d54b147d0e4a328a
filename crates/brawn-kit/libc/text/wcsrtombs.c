/* wcsrtombs, and with it musl's wcstombs. */

#include "encode.h"

#pragma GCC visibility push(default)
size_t wcsrtombs(char *restrict to, const wchar_t **restrict from, size_t n, mbstate_t *restrict state);
#pragma GCC visibility pop

static size_t count(const wchar_t *s, bool utf8) {
    for (size_t done = 0;; s++) {
        const int length = length_of((uint32_t)*s, utf8);
        if (UNLIKELY(length < 0)) {
            return invalid();
        }
        if (*s == 0) {
            return done;
        }
        done += (size_t)length;
    }
}

size_t wcsrtombs(char *restrict to, const wchar_t **restrict from, size_t n, mbstate_t *restrict state) {
    (void)state;
    const bool utf8 = __ctype_get_mb_cur_max() != 1;
    const wchar_t *s = *from;
    if (to == NULL) {
        return count(s, utf8);
    }
    uint8_t *at = (uint8_t *)to;
    size_t left = n;
    for (;;) {
        take_and_put(&s, (const wchar_t *)page_end(s), &at, &left, utf8);
        for (int i = 0; i < ONE_BY_ONE; i++) {
            if (left == 0) {
                *from = s;
                return n;
            }
            const uint32_t c = (uint32_t)*s;
            const int length = length_of(c, utf8);
            if (UNLIKELY(length < 0)) {
                *from = s;
                return invalid();
            }
            if ((size_t)length > left) {
                *from = s;
                return n - left;
            }
            if (c == 0) {
                *at = 0;
                *from = NULL;
                return n - left;
            }
            encode_one(at, c, length);
            at += length;
            left -= (size_t)length;
            s++;
        }
    }
}
