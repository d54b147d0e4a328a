/*
 * __brawn_utf8_take under the name TAKE, by the instructions that TAKE_TARGET allows. utf8.c includes this once for each.
 *
 * Blocks are 16 bytes, wherever characters begin. The bytes one and two further on are loaded as well, so that at each place
 * there is the character that would begin there; those where one does begin are kept. Which bytes of the next block must follow
 * a character of this one is a mask that is only compared: nothing waits for it.
 */

TAKE_TARGET static inline __attribute__((always_inline)) size_t BRAWN_TAKE_STEPS(TAKE)(
    const uint8_t **from, const uint8_t *end, uint16_t *to, size_t room, bool nul, bool count) {
    const uint8_t *s = *from;
    size_t done = 0;
    unsigned carried = 0;
    while (end - s >= TAKE_BYTES && room - done >= 16) {
        const v8 v = load(s);
        if (nul && any((v8)(v == bytes(0)))) {
            break;
        }
        if (!any_high(v) && carried == 0) {
            if (!count) {
                store(to + done, (v8)LOW_BYTES(v, bytes(0)));
                store(to + done + 8, (v8)HIGH_BYTES(v, bytes(0)));
            }
            done += 16;
            s += 16;
            continue;
        }
        const v8 second = load(s + 1);
        const v8 lead = (v8)(v >= bytes(0xc0)), follows = (v8)((s8)v < (s8)bytes(0xc0));
        const v8 second_follows = (v8)((s8)second < (s8)bytes(0xc0));
        const v8 three = (v8)(v >= bytes(0xe0));
        const unsigned following = bits(follows), threes = bits(three);
        v8 third = bytes(0), wrong = (v8)((v & bytes(0xfe)) == bytes(0xc0));
        unsigned expected = bits(lead) << 1, found = following | bits(second_follows) >> 15 << 16;
        if (threes != 0) {
            third = load(s + 2);
            const v8 above = (v8)((s8)second >= (s8)bytes(0xa0));
            wrong |=
                (v8)(v >= bytes(0xf0)) | ((v8)(v == bytes(0xe0)) & ~above) | ((v8)(v == bytes(0xed)) & above);
            expected |= threes << 2;
            found = following | bits((v8)((s8)third < (s8)bytes(0xc0))) >> 14 << 16;
        }
        /* What comes behind the block may follow by itself only where nothing is expected: the next block sees to that. */
        if (any(wrong) || (((expected | carried) ^ found) & (0xffff | expected)) != 0) {
            break;
        }
        carried = expected >> 16;
        const unsigned starts = following ^ 0xffff;
        s += 16;
        /* How many begin in each four bytes, and the sums of these. */
        const unsigned pairs = starts - (starts >> 1 & 0x5555);
        const unsigned fours = (pairs & 0x3333) + (pairs >> 2 & 0x3333), sums = fours * 0x1111;
        if (!count) {
            const v8 none = bytes(0), payload = bytes(0x3f);
            const v8 next = second & payload, last = third & payload;
            uint16_t *const at = to + done;
#define BRAWN_TAKE_HALF(WHICH, shift, a, b, c)                                                               \
    do {                                                                                                     \
        const v16 first = (v16)WHICH(v, none), middle = (v16)WHICH(next, none);                              \
        const v16 is_lead = (v16)WHICH(lead, lead);                                                          \
        v16 value = (v16)choose((v8)is_lead, (v8)((first & 0x1f) << 6 | middle), (v8)first);                 \
        if (threes != 0) {                                                                                   \
            const v16 whole = first << 12 | middle << 6 | (v16)WHICH(last, none);                            \
            value = (v16)choose((v8)WHICH(three, three), (v8)whole, (v8)value);                              \
        }                                                                                                    \
        value = TAKE_GATHER(value, (v16)WHICH(follows, follows), starts >> (shift));                         \
        store64(at + (a), ((v64)value)[0]);                                                                  \
        store64(at + (b), ((v64)value)[1]);                                                                  \
    } while (0)
            BRAWN_TAKE_HALF(LOW_BYTES, 0, 0, sums & 15, );
            BRAWN_TAKE_HALF(HIGH_BYTES, 8, sums >> 4 & 15, sums >> 8 & 15, );
#undef BRAWN_TAKE_HALF
        }
        done += (sums >> 8 & 15) + (fours >> 12);
    }
    /* To where the next character begins: 1 and 3 are what may be carried. */
    *from = s + carried - (carried >> 1);
    return done;
}

TAKE_TARGET static size_t TAKE(const uint8_t **from, const uint8_t *end, uint16_t *to, size_t room,
                               bool nul) {
    return to == NULL ? BRAWN_TAKE_STEPS(TAKE)(from, end, to, room, nul, true)
           : nul      ? BRAWN_TAKE_STEPS(TAKE)(from, end, to, room, true, false)
                      : BRAWN_TAKE_STEPS(TAKE)(from, end, to, room, false, false);
}
