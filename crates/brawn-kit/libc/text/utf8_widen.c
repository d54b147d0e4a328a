/* __brawn_utf8_widen. */

#include "text.h"

size_t __brawn_utf8_widen(uint32_t *to, const uint8_t **from, size_t n, const uint8_t *end) {
    uint16_t chunk[CHUNK];
    const uint8_t *s = *from;
    size_t left = n;
    for (;;) {
        if (left >= 16 && s != end) {
            const uint8_t *const page = page_end(s);
            const size_t taken = __brawn_utf8_take(&s, end == NULL || page < end ? page : end, chunk,
                                                   left < CHUNK ? left : CHUNK, true);
            widen(chunk, taken, to, false);
            to += taken;
            left -= taken;
            if (taken > CHUNK - 16) {
                continue;
            }
        }
        for (int i = 0; i < ONE_BY_ONE; i++) {
            uint32_t c;
            int length = PARTIAL;
            if (left != 0 && s != end) {
                length = decode_one(s, end == NULL ? 4 : (size_t)(end - s), &c);
            }
            if (UNLIKELY(length < 0)) {
                *from = s;
                return length == PARTIAL ? n - left : invalid();
            }
            *to++ = c;
            if (c == 0) {
                *from = NULL;
                return n - left;
            }
            s += length;
            left--;
        }
    }
}
