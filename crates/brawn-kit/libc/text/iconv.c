/*
 * iconv between UTF-8, UTF-16, UCS-2, UTF-32, wchar_t, ISO-8859-1, ASCII and pages, which are all other encodings with a byte for
 * each character; all other pairs, and iconv_open, are musl's.
 *
 * Runs go by way of 16-bit characters: as many are decoded as surely fit into the room that is left when encoded. What is in no
 * run is converted character by character, and in that errors are found.
 */

#include "../bits.h"
#include "text.h"

#include <iconv.h>
#include <string.h>

#pragma GCC visibility push(default)
size_t iconv(iconv_t conversion, char **restrict in, size_t *restrict in_left, char **restrict out,
             size_t *restrict out_left);
size_t __brawn_musl_iconv(iconv_t conversion, char **restrict in, size_t *restrict in_left,
                          char **restrict out, size_t *restrict out_left);
#pragma GCC visibility pop

/* The kinds of text. Of those in the second row only what is read differs: a mark of the order of bytes may come first. */
enum kind {
    UTF8,
    ASCII,
    LATIN1,
    UTF16LE,
    UTF16BE,
    UCS2LE,
    UCS2BE,
    UTF32LE,
    UTF32BE,
    WIDE,
    UTF16,
    UCS2,
    UTF32,
    OTHER,
    PAGE,
    UNKNOWN
};

/* musl's descriptor is 1 + 2 * to + 65536 * from, by places in its table of encodings, or the address of one with a state. */
static const char NAMES[OTHER + 1][12] = {
    "UTF-8",
    "ASCII",
    "ISO88591",
    "UTF-16LE",
    "UTF-16BE",
    "UCS-2LE",
    "UCS-2BE",
    "UTF-32LE",
    "UTF-32BE",
    "WCHAR_T",
    "UTF-16",
    "UCS-2",
    "UTF-32",
    /* The one beside these that is read with a state: musl must not be asked about it without. */
    "ISO2022JP",
};

/* What stands at each place, 0 for others. */
enum { PLACES = 512 };
static uint8_t kinds[PLACES];
static uint8_t asked;
static uintptr_t wide_place;

struct stateful {
    iconv_t base;
    unsigned state; /* 0, or musl's number of what the mark said */
};

/* musl's numbers. */
enum { STATE_UTF32BE = 0300, STATE_UTF16LE, STATE_UTF16BE, STATE_UTF32LE, STATE_UCS2BE, STATE_UCS2LE };

/* Asks iconv_open for the places, once. Threads that do this at the same time write the same. */
static __attribute__((noinline, cold)) void find_places(void) {
    for (unsigned kind = 0; kind <= OTHER; kind++) {
        const uintptr_t place = (uintptr_t)iconv_open(NAMES[kind], NAMES[UTF8]) >> 1 & 0x7fff;
        if (place < PLACES) {
            __atomic_store_n(&kinds[place], (uint8_t)(kind + 1), __ATOMIC_RELAXED);
        }
        if (kind == WIDE) {
            __atomic_store_n(&wide_place, place, __ATOMIC_RELAXED);
        }
    }
    __atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
}

/* What musl's own iconv says of each byte of an encoding, once asked: the character, and where that is the byte, by open addressing. */
struct page {
    uintptr_t place; /* plus 1, and 0 while it is not ready */
    bool single;     /* whether each byte is a character or none */
    bool ascii;      /* whether the lower half is ASCII */
    uint16_t characters[256], keys[512];
    uint8_t bytes[512];
};
enum { PAGES = 4, NONE = 0xffff };
static struct page pages[PAGES];
static unsigned pages_taken;

/* Where a character is, or the free entry that ends the search. */
INLINE unsigned entry(const struct page *page, unsigned c) {
    unsigned at = (c * 0x9e37 & 0xffff) >> 7;
    while (page->keys[at] != c && page->keys[at] != NONE) {
        at = (at + 1) % 512;
    }
    return at;
}

/* Of bytes that are the same character musl writes the one with its number, then the lowest. */
static __attribute__((noinline, cold)) void ask(struct page *page, uintptr_t place) {
    const iconv_t conversion =
        (iconv_t)(place << 16 | __atomic_load_n(&wide_place, __ATOMIC_RELAXED) << 1 | 1);
    const int before = *__errno_location();
    memset(page->keys, 0xff, sizeof page->keys);
    page->single = page->ascii = true;
    for (unsigned i = 0; i < 256 && page->single; i++) {
        uint8_t byte = (uint8_t)i;
        uint32_t c = NONE;
        char *in = (char *)&byte, *out = (char *)&c;
        size_t in_left = 1, out_left = sizeof c;
        const bool valid = __brawn_musl_iconv(conversion, &in, &in_left, &out, &out_left) == 0;
        page->single = valid ? out_left == 0 && c < NONE : *__errno_location() == BRAWN_EILSEQ;
        page->characters[i] = (uint16_t)c;
        page->ascii = page->ascii && (i >= 0x80 || c == i);
        if (valid) {
            const unsigned at = entry(page, (uint16_t)c);
            if (page->keys[at] == NONE || i == c) {
                page->keys[at] = (uint16_t)c;
                page->bytes[at] = byte;
            }
        }
    }
    *__errno_location() = before;
}

static enum kind kind_at(uintptr_t place, const struct page **page) {
    const unsigned kind = place < PLACES ? __atomic_load_n(&kinds[place], __ATOMIC_RELAXED) : 0;
    if (kind != 0) {
        return (enum kind)(kind - 1);
    }
    for (unsigned i = 0; i < PAGES; i++) {
        if (__atomic_load_n(&pages[i].place, __ATOMIC_ACQUIRE) == place + 1) {
            *page = &pages[i];
            return pages[i].single ? PAGE : OTHER;
        }
    }
    /* Two threads may ask for the same page, and take two. */
    if (__atomic_load_n(&pages_taken, __ATOMIC_RELAXED) < PAGES) {
        const unsigned i = __atomic_fetch_add(&pages_taken, 1, __ATOMIC_RELAXED);
        if (i < PAGES) {
            ask(&pages[i], place);
            __atomic_store_n(&pages[i].place, place + 1, __ATOMIC_RELEASE);
            return kind_at(place, page);
        }
    }
    return OTHER;
}

struct work {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_end;
    size_t replaced;
    const struct page *from, *to;
};

INLINE size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* --- from: each decodes up to `room` characters, a multiple of 16, as far as they are ordinary ones ------------- */

static size_t take_bytes(struct work *work, uint16_t *to, size_t room, bool ascii) {
    const uint8_t *s = work->in;
    const size_t n = smaller(room, (size_t)(work->in_end - s)) & ~(size_t)15;
    size_t i = 0;
    for (; i < n; i += 16) {
        const v8 v = load(s + i);
        if (ascii && any_high(v)) {
            break;
        }
        store(to + i, (v8)LOW_BYTES(v, bytes(0)));
        store(to + i + 8, (v8)HIGH_BYTES(v, bytes(0)));
    }
    work->in = s + i;
    return i;
}

static size_t take_halves(struct work *work, uint16_t *to, size_t room, bool swap) {
    const uint8_t *s = work->in;
    const size_t n = smaller(room, (size_t)(work->in_end - s) / 2) & ~(size_t)7;
    size_t i = 0;
    for (; i < n; i += 8) {
        v16 v = (v16)load(s + 2 * i);
        if (swap) {
            v = swap_halves(v);
        }
        if (any((v8)(v >> 11 == halves(0xd800 >> 11)))) {
            break;
        }
        store(to + i, (v8)v);
    }
    work->in = s + 2 * i;
    return i;
}

static size_t take_words(struct work *work, uint16_t *to, size_t room, bool swap) {
    const uint8_t *s = work->in;
    const size_t n = smaller(room, (size_t)(work->in_end - s) / 4) & ~(size_t)7;
    size_t i = 0;
    for (; i < n; i += 8) {
        v32 a = (v32)load(s + 4 * i), b = (v32)load(s + 4 * i + 16);
        if (swap) {
            a = swap_words(a);
            b = swap_words(b);
        }
        const v32 surrogate = words(0xd800 >> 11);
        v8 wrong = (v8)(((a >> 16) | (b >> 16)) != words(0));
        wrong |= (v8)((a >> 11 == surrogate) | (b >> 11 == surrogate));
        if (any(wrong)) {
            break;
        }
        store(to + i, (v8)narrow_words(a, b));
    }
    work->in = s + 4 * i;
    return i;
}

static size_t take_page(struct work *work, uint16_t *to, size_t room) {
    const struct page *const page = work->from;
    const uint8_t *s = work->in;
    const size_t n = smaller(room, (size_t)(work->in_end - s));
    size_t i = 0;
    while (i < n) {
        if (page->ascii && n - i >= 16) {
            const v8 v = load(s + i);
            if (!any_high(v)) {
                store(to + i, (v8)LOW_BYTES(v, bytes(0)));
                store(to + i + 8, (v8)HIGH_BYTES(v, bytes(0)));
                i += 16;
                continue;
            }
        }
        const size_t end = smaller(n, i + 16);
        while (i < end && page->characters[s[i]] != NONE) {
            to[i] = page->characters[s[i]];
            i++;
        }
        if (i < end) {
            break;
        }
    }
    work->in = s + i;
    return i;
}

static size_t take(struct work *work, enum kind from, uint16_t *to, size_t room) {
    switch (from) {
    case UTF8:
        return __brawn_utf8_take(&work->in, work->in_end, to, room, false);
    case ASCII:
    case LATIN1:
        return take_bytes(work, to, room, from == ASCII);
    case UTF16LE:
    case UCS2LE:
    case UTF16BE:
    case UCS2BE:
        return take_halves(work, to, room, from == UTF16BE || from == UCS2BE);
    case UTF32LE:
    case WIDE:
    case UTF32BE:
        return take_words(work, to, room, from == UTF32BE);
    case PAGE:
        return take_page(work, to, room);
    default:
        return 0;
    }
}

/* --- to: each encodes n characters, for which there is room ---------------------------------------------------- */

static void put_bytes(struct work *work, const uint16_t *from, size_t n, unsigned highest) {
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        v16 v = (v16)load(from + i);
        const v8 other = (v8)(v > halves((uint16_t)highest));
        if (UNLIKELY(any(other))) {
            v = (v16)choose(other, (v8)halves('*'), (v8)v);
            work->replaced += (size_t)kit_popcount(bits(other)) / 2;
        }
        store64(work->out + i, ((v64)narrow_halves(v, v))[0]);
    }
    for (; i < n; i++) {
        const bool other = from[i] > highest;
        work->out[i] = other ? '*' : (uint8_t)from[i];
        work->replaced += other;
    }
    work->out += n;
}

static void put_page(struct work *work, const uint16_t *from, size_t n) {
    const struct page *const page = work->to;
    uint8_t *out = work->out;
    for (size_t i = 0; i < n;) {
        if (page->ascii && n - i >= 8) {
            const v16 v = (v16)load(from + i);
            if (!any((v8)(v > halves(0x7f)))) {
                store64(out, ((v64)narrow_halves(v, v))[0]);
                out += 8;
                i += 8;
                continue;
            }
        }
        for (const size_t end = smaller(n, i + 8); i < end; i++) {
            unsigned at = entry(page, from[i]);
            if (UNLIKELY(page->keys[at] == NONE)) {
                at = entry(page, '*');
                work->replaced++;
            }
            *out++ = page->bytes[at];
        }
    }
    work->out = out;
}

static void put_halves(struct work *work, const uint16_t *from, size_t n, bool swap) {
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        const v16 v = (v16)load(from + i);
        store(work->out + 2 * i, (v8)(swap ? swap_halves(v) : v));
    }
    for (; i < n; i++) {
        ((any_u16 *)work->out)[i] = swap ? __builtin_bswap16(from[i]) : from[i];
    }
    work->out += 2 * n;
}

static void put(struct work *work, enum kind to, const uint16_t *from, size_t n) {
    switch (to) {
    case UTF8:
        work->out = __brawn_utf8_put(from, n, work->out);
        break;
    case ASCII:
    case LATIN1:
        put_bytes(work, from, n, to == ASCII ? 0x7f : 0xff);
        break;
    case UTF16LE:
    case UCS2LE:
    case UTF16BE:
    case UTF16:
    case UCS2BE:
    case UCS2:
        put_halves(work, from, n, to != UTF16LE && to != UCS2LE);
        break;
    case PAGE:
        put_page(work, from, n);
        break;
    default:
        widen(from, n, (uint32_t *)work->out, to == UTF32BE || to == UTF32);
        work->out += 4 * n;
    }
}

/* --- one by one -------------------------------------------------------------------------------------------- */

INLINE unsigned half(const uint8_t *s, bool swap) {
    const uint16_t value = *(const any_u16 *)s;
    return swap ? __builtin_bswap16(value) : value;
}
INLINE uint32_t word(const uint8_t *s, bool swap) {
    const uint32_t value = *(const any_u32 *)s;
    return swap ? __builtin_bswap32(value) : value;
}

/* The length of the first character, INVALID or PARTIAL. */
static int get_one(const struct work *work, enum kind from, uint32_t *c) {
    const uint8_t *const s = work->in;
    const size_t n = (size_t)(work->in_end - s);
    bool swap;
    switch (from) {
    case UTF8:
        return decode_one(s, n, c);
    case ASCII:
    case LATIN1:
        *c = *s;
        return from == ASCII && *s >= 0x80 ? INVALID : 1;
    case PAGE:
        *c = work->from->characters[*s];
        return *c == NONE ? INVALID : 1;
    case UTF32LE:
    case UTF32BE:
    case WIDE:
        if (n < 4) {
            return PARTIAL;
        }
        *c = word(s, from == UTF32BE);
        return *c - 0xd800 < 0x800 || *c >= 0x110000 ? INVALID : 4;
    default:
        if (n < 2) {
            return PARTIAL;
        }
        swap = from == UTF16BE || from == UCS2BE;
        *c = half(s, swap);
        if (*c - 0xd800 >= 0x800) {
            return 2;
        }
        if (*c >= 0xdc00 || from == UCS2LE || from == UCS2BE) {
            return INVALID;
        }
        if (n < 4) {
            return PARTIAL;
        }
        const uint32_t low = half(s + 2, swap) - 0xdc00;
        if (low >= 0x400) {
            return INVALID;
        }
        *c = ((*c - 0xd7c0) << 10) + low;
        return 4;
    }
}

/* Whether there was room. */
static bool put_one(struct work *work, enum kind to, uint32_t c) {
    const size_t room = (size_t)(work->out_end - work->out);
    int length;
    bool swap;
    switch (to) {
    case UTF8:
        length = encoded_length(c);
        if (room < (size_t)length) {
            return false;
        }
        encode_one(work->out, c, length);
        break;
    case ASCII:
    case LATIN1:
        length = 1;
        if (room < 1) {
            return false;
        }
        if (c > (to == ASCII ? 0x7f : 0xff)) {
            work->replaced++;
            c = '*';
        }
        *work->out = (uint8_t)c;
        break;
    case PAGE:
        if (room < 1) {
            return false;
        }
        put_page(work, &(uint16_t){(uint16_t)smaller(c, NONE)}, 1);
        return true;
    case UTF32LE:
    case UTF32BE:
    case WIDE:
    case UTF32:
        length = 4;
        if (room < 4) {
            return false;
        }
        *(any_u32 *)work->out = to == UTF32LE || to == WIDE ? c : __builtin_bswap32(c);
        break;
    default:
        swap = to != UTF16LE && to != UCS2LE;
        length = 2;
        uint32_t low = 0;
        if (c >= 0x10000) {
            if (to == UCS2LE || to == UCS2BE || to == UCS2) {
                c = 0xfffd;
            } else {
                length = 4;
                low = (c & 0x3ff) | 0xdc00;
                c = 0xd7c0 + (c >> 10);
            }
        }
        if (room < (size_t)length) {
            return false;
        }
        *(any_u16 *)work->out = (uint16_t)(swap ? __builtin_bswap16((uint16_t)c) : c);
        if (length == 4) {
            *(any_u16 *)(work->out + 2) = (uint16_t)(swap ? __builtin_bswap16((uint16_t)low) : low);
        }
    }
    work->out += length;
    return true;
}

/* Skips a mark of the order of bytes, and says what follows; UNKNOWN if that is not there yet. */
static enum kind after_mark(struct work *work, enum kind from, struct stateful *stateful) {
    const size_t n = (size_t)(work->in_end - work->in);
    if (stateful->state == 0) {
        const size_t length = from == UTF32 ? 4 : 2;
        if (n < length) {
            return UNKNOWN;
        }
        const uint32_t mark = from == UTF32 ? word(work->in, false) : half(work->in, false);
        const bool little = mark == 0xfeff, big = mark == (from == UTF32 ? 0xfffe0000 : 0xfffe);
        stateful->state = from == UTF16  ? (little ? STATE_UTF16LE : STATE_UTF16BE)
                          : from == UCS2 ? (little ? STATE_UCS2LE : STATE_UCS2BE)
                                         : (little ? STATE_UTF32LE : STATE_UTF32BE);
        work->in += little || big ? length : 0;
    }
    switch (stateful->state) {
    case STATE_UTF32BE:
        return UTF32BE;
    case STATE_UTF32LE:
        return UTF32LE;
    case STATE_UTF16LE:
        return UTF16LE;
    case STATE_UTF16BE:
        return UTF16BE;
    case STATE_UCS2LE:
        return UCS2LE;
    default:
        return UCS2BE;
    }
}

/* 0, or the error. */
static int convert(struct work *work, enum kind from, enum kind to) {
    static const uint8_t MOST[PAGE + 1] = {3, 1, 1, 2, 2, 2, 2, 4, 4, 4, 2, 2, 4, 1, 1};
    uint16_t chunk[CHUNK];
    for (;;) {
        size_t taken;
        do {
            const size_t room = smaller((size_t)(work->out_end - work->out) / MOST[to], CHUNK) & ~(size_t)15;
            taken = take(work, from, chunk, room);
            put(work, to, chunk, taken);
        } while (taken > CHUNK - 16);
        for (int i = 0; i < TAKE_BYTES + 2; i++) {
            if (work->in == work->in_end) {
                return 0;
            }
            uint32_t c;
            const int length = get_one(work, from, &c);
            if (length < 0) {
                return length == INVALID ? BRAWN_EILSEQ : BRAWN_EINVAL;
            }
            if (!put_one(work, to, c)) {
                return BRAWN_E2BIG;
            }
            work->in += length;
        }
    }
}

size_t iconv(iconv_t conversion, char **restrict in, size_t *restrict in_left, char **restrict out,
             size_t *restrict out_left) {
    if (in == NULL || *in == NULL || *in_left == 0) {
        return 0;
    }
    if (UNLIKELY(!__atomic_load_n(&asked, __ATOMIC_ACQUIRE))) {
        find_places();
    }
    struct stateful *const stateful = (uintptr_t)conversion & 1 ? NULL : (struct stateful *)conversion;
    const uintptr_t number = (uintptr_t)(stateful == NULL ? conversion : stateful->base);
    const struct page *from_page = NULL, *to_page = NULL;
    enum kind from = kind_at(number >> 16, &from_page);
    const enum kind to = kind_at(number >> 1 & 0x7fff, &to_page);
    if (from == OTHER || to == OTHER || (from >= UTF16 && from < OTHER) != (stateful != NULL)) {
        return __brawn_musl_iconv(conversion, in, in_left, out, out_left);
    }
    struct work work = {
        .from = from_page,
        .to = to_page,
        .in = (const uint8_t *)*in,
        .in_end = (const uint8_t *)*in + *in_left,
        .out = (uint8_t *)*out,
        .out_end = (uint8_t *)*out + *out_left,
    };
    int error = BRAWN_EINVAL;
    if (stateful != NULL) {
        from = after_mark(&work, from, stateful);
    }
    if (from != UNKNOWN) {
        error = convert(&work, from, to);
    }
    *in = (char *)work.in;
    *in_left = (size_t)(work.in_end - work.in);
    *out = (char *)work.out;
    *out_left = (size_t)(work.out_end - work.out);
    if (error != 0) {
        *__errno_location() = error;
        return (size_t)-1;
    }
    return work.replaced;
}
