/*
 * __brawn_utf8_put under the name PUT, by the instructions that PUT_TARGET allows. utf8.c includes this once for each.
 */

/* Eight characters. Up to eight bytes behind them are written to. */
PUT_TARGET static inline __attribute__((always_inline)) uint8_t *BRAWN_PUT_EIGHT(PUT)(v16 c, uint8_t *to) {
    const v8 ascii = (v8)((c & 0xff80) == halves(0)), two = (v8)((c & 0xf800) == halves(0));
    const unsigned masks = bits(narrow_masks(ascii, two));
    if (masks == 0xffff) {
        store64(to, ((v64)narrow_halves(c, c))[0]);
        return to + 8;
    }
    if (masks >= 0xff00) {
        const v16 both = c >> 6 | (c & 0x3f) << 8 | 0x80c0;
        const v64 all = PUT_GATHER(choose(ascii, (v8)c, (v8)both), ascii, masks);
        store64(to, all[0]);
        to += 8 - four(masks);
        store64(to, all[1]);
        return to + 8 - four(masks >> 4);
    }
    const v64 low = up_to_three((v32)LOW_HALVES(c, halves(0)));
    const v64 high = up_to_three((v32)HIGH_HALVES(c, halves(0)));
    if (masks == 0) {
        store64(to, low[0]);
        store64(to + 6, low[1]);
        store64(to + 12, high[0]);
        store64(to + 18, high[1]);
        return to + 24;
    }
    /* The lengths of each two, and their sums. */
    const unsigned pairs = masks - (masks >> 1 & 0x5555), more = pairs >> 8;
    const unsigned spread = (pairs & 3) | (pairs & 0xc) << 6 | (pairs & 0x30) << 12 | (pairs & 0xc0) << 18;
    const unsigned spread_more = (more & 3) | (more & 0xc) << 6 | (more & 0x30) << 12 | (more & 0xc0) << 18;
    const unsigned sums = (0x06060606 - spread - spread_more) * 0x01010101;
    store64(to, low[0]);
    store64(to + (sums & 0xff), low[1]);
    store64(to + (sums >> 8 & 0xff), high[0]);
    store64(to + (sums >> 16 & 0xff), high[1]);
    return to + (sums >> 24);
}

PUT_TARGET static uint8_t *PUT(const uint16_t *from, size_t n, uint8_t *to) {
    size_t i = 0;
    /* What is written too far is written again by the eight that come next. */
    for (; n - i >= 16; i += 8) {
        to = BRAWN_PUT_EIGHT(PUT)((v16)load(from + i), to);
    }
    for (; n - i >= 8; i += 8) {
        uint8_t last[32];
        const size_t size = (size_t)(BRAWN_PUT_EIGHT(PUT)((v16)load(from + i), last) - last);
        const size_t middle = size < 16 ? size - 8 : 8;
        store64(to, *(const any_u64 *)last);
        store64(to + middle, *(const any_u64 *)(last + middle));
        store64(to + size - 8, *(const any_u64 *)(last + size - 8));
        to += size;
    }
    for (; i < n; i++) {
        const int length = encoded_length(from[i]);
        encode_one(to, from[i], length);
        to += length;
    }
    return to;
}
