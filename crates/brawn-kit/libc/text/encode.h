/* What wcsrtombs and wcsnrtombs share. */
#ifndef BRAWN_TEXT_ENCODE_H
#define BRAWN_TEXT_ENCODE_H

#include "text.h"

/* Bytes that a character takes, or INVALID. Where the locale has bytes, those from 0x80 on are 0xdf80 and so on; encode_one then
 * writes the lowest byte. */
INLINE int length_of(uint32_t c, bool utf8) {
    return utf8 ? encoded_length(c) : c < 0x80 || c - 0xdf80 < 0x80 ? 1 : INVALID;
}

/* Converts characters up to one that is null, invalid or beyond U+FFFF, as long as there is room for the longest. */
INLINE void take_and_put(const wchar_t **from, const wchar_t *end, uint8_t **to, size_t *left, bool utf8) {
    const wchar_t *s = *from;
    uint16_t chunk[CHUNK];
    size_t taken;
    do {
        if (utf8) {
            /* ASCII at once. */
            for (; end - s >= 16 && *left >= 16; s += 16, *to += 16, *left -= 16) {
                const v32 a = (v32)load(s), b = (v32)load(s + 4), c = (v32)load(s + 8), d = (v32)load(s + 12);
                const v8 none = (v8)((a == words(0)) | (b == words(0)) | (c == words(0)) | (d == words(0)));
                if (any((v8)((s32)((a | b | c | d) & ~words(0x7f)) != (s32)words(0)) | none)) {
                    break;
                }
                store(*to, narrow_halves(narrow_words(a, b), narrow_words(c, d)));
            }
        }
        const size_t room = *left / 3 < CHUNK ? *left / 3 : CHUNK;
        taken = 0;
        for (; end - s >= 8 && room - taken >= 8; s += 8, taken += 8) {
            const v32 a = (v32)load(s), b = (v32)load(s + 4);
            /* What is beyond 0x7fff is so in the halves as well, and taken for wrong at first. */
            const v16 both = narrow_or_beyond(a, b);
            if (LIKELY(!any((v8)(both - 1 > halves(0x7fe)))) && utf8) {
                store(chunk + taken, (v8)both);
                continue;
            }
            v8 wrong = (v8)((a == words(0)) | (b == words(0)));
            if (utf8) {
                const v32 surrogate = words(0xd800 >> 11);
                wrong |= (v8)(((a >> 16) | (b >> 16)) != words(0));
                wrong |= (v8)((a >> 11 == surrogate) | (b >> 11 == surrogate));
            } else {
                const v32 high_a = (v32)(a - 0xdf80 < words(0x80)), high_b = (v32)(b - 0xdf80 < words(0x80));
                wrong |= (v8)((a > words(0x7f)) & ~high_a) | (v8)((b > words(0x7f)) & ~high_b);
            }
            if (any(wrong)) {
                break;
            }
            store(chunk + taken, (v8)narrow_words(a, b));
        }
        *from = s;
        if (utf8) {
            uint8_t *const put = __brawn_utf8_put(chunk, taken, *to);
            *left -= (size_t)(put - *to);
            *to = put;
        } else {
            for (size_t i = 0; i < taken; i += 8) {
                const v16 v = (v16)load(chunk + i) & 0xff;
                store64(*to + i, ((v64)narrow_halves(v, v))[0]);
            }
            *to += taken;
            *left -= taken;
        }
    } while (taken == CHUNK);
}

#endif
