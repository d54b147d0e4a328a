/* mbsrtowcs, and with it musl's mbstowcs. What begins within a character is musl's. */

#include "text.h"

#pragma GCC visibility push(default)
size_t mbsrtowcs(wchar_t *restrict to, const char **restrict from, size_t n, mbstate_t *restrict state);
size_t __brawn_musl_mbsrtowcs(wchar_t *restrict to, const char **restrict from, size_t n,
                              mbstate_t *restrict state);
#pragma GCC visibility pop

static size_t count_utf8(const uint8_t *s) {
    size_t done = 0;
    for (;;) {
        done += __brawn_utf8_take(&s, page_end(s), NULL, SIZE_MAX, true);
        for (int i = 0; i < ONE_BY_ONE; i++, done++) {
            uint32_t c;
            const int length = decode_one(s, 4, &c);
            if (UNLIKELY(length < 0)) {
                return invalid();
            }
            if (c == 0) {
                return done;
            }
            s += length;
        }
    }
}

/* Bytes that are not ASCII are characters from 0xdf80 on. */
static size_t from_bytes(uint32_t *to, const uint8_t **from, size_t n) {
    const uint8_t *s = *from;
    size_t left = n;
    for (;;) {
        for (const uint8_t *const end = page_end(s); end - s >= 16 && left >= 16;
             s += 16, to += 16, left -= 16) {
            const v8 v = load(s);
            if (any((v8)(v == bytes(0)))) {
                break;
            }
            const v8 above = (v8)((s8)v < (s8)bytes(0)) & bytes(0xdf);
            const v16 low = (v16)LOW_BYTES(v, above), high = (v16)HIGH_BYTES(v, above), none = halves(0);
            store(to, (v8)LOW_HALVES(low, none));
            store(to + 4, (v8)HIGH_HALVES(low, none));
            store(to + 8, (v8)LOW_HALVES(high, none));
            store(to + 12, (v8)HIGH_HALVES(high, none));
        }
        for (int i = 0; i < 16; i++) {
            if (left == 0) {
                *from = s;
                return n;
            }
            *to++ = *s < 0x80 ? *s : 0xdf00u | *s;
            if (*s == 0) {
                *from = NULL;
                return n - left;
            }
            s++;
            left--;
        }
    }
}

size_t mbsrtowcs(wchar_t *restrict to, const char **restrict from, size_t n, mbstate_t *restrict state) {
    const bool utf8 = __ctype_get_mb_cur_max() != 1;
    if (state != NULL && *(const unsigned *)state != 0) {
        return __brawn_musl_mbsrtowcs(to, from, n, state);
    }
    const uint8_t *s = (const uint8_t *)*from;
    if (to == NULL) {
        return utf8 ? count_utf8(s) : __brawn_musl_mbsrtowcs(to, from, n, state);
    }
    const size_t done =
        utf8 ? __brawn_utf8_widen((uint32_t *)to, &s, n, NULL) : from_bytes((uint32_t *)to, &s, n);
    *from = (const char *)s;
    return done;
}
