/* wcsnrtombs. */

#include "encode.h"

#pragma GCC visibility push(default)
size_t wcsnrtombs(char *restrict to, const wchar_t **restrict from, size_t characters, size_t n,
                  mbstate_t *restrict state);
#pragma GCC visibility pop

size_t wcsnrtombs(char *restrict to, const wchar_t **restrict from, size_t characters, size_t n,
                  mbstate_t *restrict state) {
    (void)state;
    const bool utf8 = __ctype_get_mb_cur_max() != 1;
    const wchar_t *s = *from;
    size_t done = 0;
    uint8_t *at = (uint8_t *)to;
    size_t left = n;
    for (const wchar_t *const begin = s; s != NULL && (size_t)(s - begin) < characters;) {
        if (to != NULL) {
            /* As far as characters go, but no further than can be read if the text ends before. */
            const wchar_t *const page = (const wchar_t *)page_end(s);
            const size_t more = characters - (size_t)(s - begin);
            take_and_put(&s, (size_t)(page - s) < more ? page : s + more, &at, &left, utf8);
        }
        for (int i = 0; i < ONE_BY_ONE && (size_t)(s - begin) < characters; i++) {
            const uint32_t c = (uint32_t)*s;
            const int length = length_of(c, utf8);
            if (UNLIKELY(length < 0)) {
                if (to != NULL) {
                    *from = s;
                }
                return invalid();
            }
            if (to != NULL) {
                if ((size_t)length > left) {
                    *from = s;
                    return (size_t)(at - (uint8_t *)to);
                }
                encode_one(at, c, length);
            }
            if (c == 0) {
                if (to != NULL) {
                    *from = NULL;
                    return (size_t)(at - (uint8_t *)to);
                }
                return done;
            }
            if (to != NULL) {
                at += length;
                left -= (size_t)length;
            }
            done += (size_t)length;
            s++;
        }
    }
    if (to != NULL) {
        *from = s;
        return (size_t)(at - (uint8_t *)to);
    }
    return done;
}
