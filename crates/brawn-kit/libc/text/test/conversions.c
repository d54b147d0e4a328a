/* The kit's conversions beside musl's own: results, errno, what is read and written, states, for texts that are valid in part. Each
 * text and each buffer ends or begins at a page that cannot be touched. */

#define _GNU_SOURCE
#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

size_t kit_mbsrtowcs(wchar_t *, const char **, size_t, mbstate_t *);
size_t kit_mbsnrtowcs(wchar_t *, const char **, size_t, size_t, mbstate_t *);
size_t kit_wcsrtombs(char *, const wchar_t **, size_t, mbstate_t *);
size_t kit_wcsnrtombs(char *, const wchar_t **, size_t, size_t, mbstate_t *);
size_t kit_iconv(iconv_t, char **restrict, size_t *restrict, char **restrict, size_t *restrict);

size_t __brawn_musl_kit_mbsrtowcs(wchar_t *to, const char **from, size_t n, mbstate_t *state) {
    return mbsrtowcs(to, from, n, state);
}

#ifdef LEVEL
/* What the string functions of a program would say of the processor: not yet known, then this. */
unsigned char __brawn_string_level;
unsigned __brawn_string_detect(void) {
    __brawn_string_level = LEVEL;
    return LEVEL;
}
#endif

size_t __brawn_musl_kit_mbsnrtowcs(wchar_t *to, const char **from, size_t bytes, size_t n, mbstate_t *state) {
    return mbsnrtowcs(to, from, bytes, n, state);
}

static unsigned long behind, calls;

size_t __brawn_musl_kit_iconv(iconv_t cd, char **restrict in, size_t *restrict in_left, char **restrict out,
                              size_t *restrict out_left) {
    __atomic_fetch_add(&behind, 1, __ATOMIC_RELAXED);
    return iconv(cd, in, in_left, out, out_left);
}

enum { PAGE = 4096, PAGES = 4, AREA = PAGE * PAGES, MOST = 700 };

static const char *const NAMES[] = {
    "UTF-8",       "ASCII",    "ISO-8859-1", "UTF-16LE",  "UTF-16BE", "UCS-2LE", "UCS-2BE",
    "UTF-32LE",    "UTF-32BE", "WCHAR_T",    "UTF-16",    "UCS-2",    "UTF-32",  "ISO-8859-2",
    "ISO-2022-JP", "CP1252",   "KOI8-U",     "SHIFT_JIS", "IBM1047",
};
enum { COUNT = sizeof NAMES / sizeof *NAMES, OURS = 13 };

struct context {
    uint64_t seed;
    long times;
    locale_t locale;
    uint8_t *in, *out[2];
    /* The text that was made, and its wide form. */
    uint8_t text[4 * MOST + 8];
    wchar_t wide[MOST + 8];
    size_t size, characters;
};

static uint64_t next(struct context *c) {
    c->seed ^= c->seed << 13;
    c->seed ^= c->seed >> 7;
    c->seed ^= c->seed << 17;
    return c->seed * 0x2545f4914f6cdd1d >> 16;
}

static size_t below(struct context *c, size_t n) {
    return n == 0 ? 0 : next(c) % n;
}

static void fail(struct context *c, const char *what) {
    printf("%s differs; the text, %zu bytes:", what, c->size);
    for (size_t i = 0; i < c->size; i++) {
        printf(" %02x", c->text[i]);
    }
    printf("\n");
    fflush(stdout);
    abort();
}

static uint8_t *area(void) {
    uint8_t *const all = mmap(NULL, AREA + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + PAGE, AREA, PROT_READ | PROT_WRITE) != 0) {
        abort();
    }
    return all + PAGE;
}

static uint32_t character(struct context *c, unsigned kind) {
    switch (kind) {
    case 0:
        return 1 + (uint32_t)below(c, 0x7f);
    case 1:
        return 0x80 + (uint32_t)below(c, 0x80);
    case 2:
        return 0x80 + (uint32_t)below(c, 0x780);
    case 3:
        return 0x800 + (uint32_t)below(c, 0xd000);
    case 4:
        return 0xe000 + (uint32_t)below(c, 0x2000);
    case 5:
        return 0x10000 + (uint32_t)below(c, 0x100000);
    default: {
        static const uint32_t EDGES[] = {1,      0x7f,    0x80,     0x7ff,    0x800,  0xfff,
                                         0x1000, 0xd7ff,  0xe000,   0xfeff,   0xfffe, 0xfffd,
                                         0xffff, 0x10000, 0x3ffff,  0x40000,  0xff,   0x100,
                                         0xdf,   0xfffff, 0x100000, 0x10ffff, 0xfffe, 0xc0};
        return EDGES[below(c, sizeof EDGES / sizeof *EDGES)];
    }
    }
}

static size_t encode(uint8_t *to, uint32_t x) {
    if (x < 0x80) {
        to[0] = (uint8_t)x;
        return 1;
    }
    const size_t n = x < 0x800 ? 2 : x < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, x >>= 6) {
        to[i] = (uint8_t)(0x80 | (x & 0x3f));
    }
    to[0] = (uint8_t)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | x);
    return n;
}

/* Some hundred characters, in runs of a kind or mixed, seldom something wrong. */
static void make(struct context *c) {
    const size_t most = next(c) % 2 ? below(c, 50) : below(c, MOST);
    unsigned kind = below(c, 7), second = below(c, 7), mixed = below(c, 9);
    const bool wrong = next(c) % 2;
    c->characters = c->size = 0;
    while (c->characters < most) {
        if (below(c, 60) == 0) {
            kind = below(c, 7);
            second = below(c, 7);
            mixed = below(c, 9);
        }
        uint32_t x = character(c, below(c, 8) < mixed ? second : kind);
        c->size += encode(c->text + c->size, x);
        if (wrong && below(c, 80) == 0) {
            static const uint32_t ODD[] = {0,      0xd800,   0xdbff,     0xdc00,    0xdfff,
                                           0xdf80, 0x110000, 0xffffffff, 0x80000041};
            x = ODD[below(c, 9)];
        }
        c->wide[c->characters++] = (wchar_t)x;
    }
    if (wrong && c->size != 0) {
        for (size_t i = below(c, 4); i > 0; i--) {
            const size_t at = below(c, c->size);
            switch (below(c, 4)) {
            case 0:
                c->text[at] = (uint8_t)next(c);
                break;
            case 1:
                c->text[at] ^= (uint8_t)(1u << below(c, 8));
                break;
            case 2:
                memmove(c->text + at, c->text + at + 1, c->size - at - 1);
                c->size--;
                break;
            default:
                c->text[at] = (uint8_t[]){
                    0, 0x80, 0xc0, 0xc1, 0xe0, 0xed, 0xf0, 0xf4, 0xf5, 0xff, 0xa0, 0x9f}[below(c, 12)];
            }
            if (c->size == 0) {
                break;
            }
        }
    }
}

/* The text at an end of the area that can be read. */
static uint8_t *placed(struct context *c, const void *text, size_t size, size_t align) {
    uint8_t *at = c->in + below(c, 3) * align;
    if (next(c) % 4 != 0) {
        at = c->in + AREA - size;
    } else if (next(c) % 2) {
        at = c->in + PAGE + (size_t)below(c, 64) * align - size / 2 / align * align;
    }
    return memcpy(at, text, size);
}

struct answer {
    size_t result, in, out, in_left, out_left;
    int errors;
    unsigned state;
};

static void compare(struct context *c, const char *what, const struct answer *theirs,
                    const struct answer *ours, size_t size) {
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    if (memcmp(theirs, ours, sizeof *ours) != 0) {
        printf("result %zd %zd in %zd %zd out %zd %zd errno %d %d state %x %x\n", theirs->result,
               ours->result, theirs->in, ours->in, theirs->out, ours->out, theirs->errors, ours->errors,
               theirs->state, ours->state);
        fail(c, what);
    }
    if (memcmp(c->out[0] + AREA - size, c->out[1] + AREA - size, size) != 0) {
        fail(c, what);
    }
}

static void fill(struct context *c, size_t size) {
    for (int i = 0; i < 2; i++) {
        memset(c->out[i] + AREA - size, 0xa5, size);
    }
}

static void multibyte(struct context *c, bool limited) {
    static const char *const PARTS[] = {"",         "\xc3",         "\xe4", "\xe4\xb8", "\xf0",
                                        "\xf0\x9f", "\xf0\x9f\x98", "\xe0", "\xed"};
    const char *const part = next(c) % 8 ? "" : PARTS[below(c, 9)];
    const bool null = next(c) % 8 == 0, no_state = next(c) % 8 == 0;
    c->text[c->size] = 0;
    const size_t size = strlen((char *)c->text) + 1, used = limited ? below(c, size + 1) : size;
    const char *const text = (char *)placed(c, c->text, used, 1);
    const size_t room = next(c) % 2 ? size + below(c, 30) : below(c, size + 1);
    fill(c, room * 4);
    struct answer answers[2] = {0};
    for (int i = 0; i < 2; i++) {
        struct answer *const answer = &answers[i];
        mbstate_t state = {0};
        if (!no_state) {
            mbrtowc(NULL, part, strlen(part), &state);
        }
        const char *from = text;
        wchar_t *const to = null ? NULL : (wchar_t *)(c->out[i] + AREA - room * 4);
        /* A room of 0 within a character makes musl go beyond it. */
        const size_t n = room == 0 && part[0] != 0 ? 0 : room;
        if (n == 0 && part[0] != 0 && !null) {
            return;
        }
        errno = 0;
        if (limited) {
            answer->result = (i == 0 ? mbsnrtowcs : kit_mbsnrtowcs)(to, &from, used, n, &state);
        } else {
            answer->result = (i == 0 ? mbsrtowcs : kit_mbsrtowcs)(to, &from, n, no_state ? NULL : &state);
        }
        answer->errors = errno;
        answer->in = from == NULL ? (size_t)-1 : (size_t)(from - text);
        memcpy(&answer->state, &state, 4);
    }
    compare(c, limited ? "mbsnrtowcs" : "mbsrtowcs", &answers[0], &answers[1], room * 4);
}

static void wide(struct context *c, bool limited) {
    const bool null = next(c) % 8 == 0;
    if (next(c) % 4 == 0) {
        /* What the C locale writes. */
        for (size_t i = 0; i < c->characters; i++) {
            if (c->wide[i] > 0x7f) {
                c->wide[i] = 0xdf80 + (c->wide[i] & 0x7f);
            }
        }
    }
    c->wide[c->characters] = 0;
    const size_t length = wcslen(c->wide) + 1, used = limited ? below(c, length + 1) : length;
    const wchar_t *const text = (wchar_t *)placed(c, c->wide, used * 4, 4);
    const size_t room = next(c) % 2 ? length * 4 : below(c, length * 2);
    fill(c, room);
    struct answer answers[2] = {0};
    for (int i = 0; i < 2; i++) {
        struct answer *const answer = &answers[i];
        const wchar_t *from = text;
        char *const to = null ? NULL : (char *)(c->out[i] + AREA - room);
        errno = 0;
        if (limited) {
            answer->result = (i == 0 ? wcsnrtombs : kit_wcsnrtombs)(to, &from, used, room, NULL);
        } else {
            answer->result = (i == 0 ? wcsrtombs : kit_wcsrtombs)(to, &from, room, NULL);
        }
        answer->errors = errno;
        answer->in = from == NULL ? (size_t)-1 : (size_t)(from - text);
    }
    compare(c, limited ? "wcsnrtombs" : "wcsrtombs", &answers[0], &answers[1], room);
}

/* The characters of the text in an encoding that is given by its place in NAMES, some of them wrong. The size in bytes. */
static size_t encoded(struct context *c, int from, uint8_t *to) {
    size_t size = 0;
    if (from > OURS && next(c) % 2) {
        for (size_t i = 0; i < c->characters; i++) {
            to[i] = (uint8_t)(next(c) % 4 ? c->wide[i] % 0x80 : (wchar_t)next(c));
        }
        return c->characters;
    }
    if (from == 0 || from >= OURS) {
        memcpy(to, c->text, c->size);
        return c->size;
    }
    if (from >= 10 && next(c) % 2) {
        const size_t unit = from == 12 ? 4 : 2;
        memset(to, 0, 4);
        const size_t at = from == 12 && next(c) % 2 ? 2 : 0;
        to[at] = next(c) % 2 ? 0xfe : 0xff;
        to[at + 1] = to[at] ^ 1;
        size = unit;
    }
    const bool big = from == 4 || from == 6 || from == 8 || (from >= 10 && next(c) % 2);
    for (size_t i = 0; i < c->characters; i++) {
        uint32_t x = (uint32_t)c->wide[i];
        if (from <= 2) {
            to[size++] = (uint8_t)(x < 0x100 || next(c) % 4 == 0 ? x : x & 0x7f);
        } else if (from == 7 || from == 8 || from == 9 || from == 12) {
            x = big ? __builtin_bswap32(x) : x;
            memcpy(to + size, &x, 4);
            size += 4;
        } else {
            if (x >= 0x10000) {
                const uint16_t high = (uint16_t)(0xd7c0 + (x >> 10)),
                               set = big ? __builtin_bswap16(high) : high;
                memcpy(to + size, &set, 2);
                size += 2;
                x = (x & 0x3ff) | 0xdc00;
            }
            const uint16_t set = big ? __builtin_bswap16((uint16_t)x) : (uint16_t)x;
            memcpy(to + size, &set, 2);
            size += 2;
        }
    }
    return size;
}

static size_t call_iconv(struct answer *answer, int which, iconv_t cd, char *in, size_t size, char *out,
                         size_t room) {
    char *from = in, *to = out;
    size_t in_left = size, out_left = room;
    errno = 0;
    answer->result = (which == 0 ? iconv : kit_iconv)(cd, &from, &in_left, &to, &out_left);
    answer->errors = errno;
    answer->in = (size_t)(from - in);
    answer->out = (size_t)(to - out);
    answer->in_left = in_left;
    answer->out_left = out_left;
    return answer->in;
}

/* A text in pieces, with two descriptors that each see all of them. */
static void with_iconv(struct context *c) {
    static __thread uint8_t text[4 * MOST + 64];
    const int from = (int)below(c, next(c) % 4 ? OURS : COUNT),
              to = (int)below(c, next(c) % 4 ? OURS : COUNT);
    const size_t size = encoded(c, from, text);
    iconv_t cd[2];
    for (int i = 0; i < 2; i++) {
        if ((cd[i] = iconv_open(NAMES[to], NAMES[from])) == (iconv_t)-1) {
            fail(c, "iconv_open");
        }
    }
    const unsigned pieces = (unsigned)below(c, 3);
    size_t at = 0;
    for (int step = 0; step < 40; step++) {
        const size_t left = size - at;
        const size_t part = pieces == 0   ? left
                            : pieces == 1 ? below(c, left + 1)
                                          : below(c, left < 40 ? left + 1 : 40);
        const size_t room = next(c) % 2 ? 4 * part + 4 : below(c, 4 * part + 4);
        char *const in = (char *)placed(c, text + at, part, 1);
        fill(c, room);
        struct answer answers[2] = {0};
        size_t read = 0;
        for (int i = 0; i < 2; i++) {
            read = call_iconv(&answers[i], i, cd[i], in, part, (char *)c->out[i] + AREA - room, room);
            if (!((uintptr_t)cd[i] & 1)) {
                memcpy(&answers[i].state, (char *)cd[i] + sizeof(iconv_t), 4);
            }
        }
        char what[64];
        snprintf(what, sizeof what, "iconv from %s to %s", NAMES[from], NAMES[to]);
        compare(c, what, &answers[0], &answers[1], room);
        at += read;
        if (answers[0].result == (size_t)-1 && answers[0].errors == EILSEQ) {
            at += at < size;
        }
        if (at == size) {
            break;
        }
    }
    for (int i = 0; i < 2; i++) {
        iconv_close(cd[i]);
    }
}

/* Every size of the input and of the output, for a text of all lengths, between all encodings of the kit. */
static void all_splits(struct context *c, size_t characters) {
    static uint8_t text[4 * MOST + 64];
    for (int from = 0; from < OURS; from++) {
        for (int to = 0; to < OURS; to++) {
            c->size = c->characters = 0;
            for (size_t i = 0; i < characters; i++) {
                const uint32_t x = character(c, i < characters / 2 ? i % 3 : (unsigned)below(c, 6));
                c->wide[c->characters++] = (wchar_t)x;
                c->size += encode(c->text + c->size, x);
            }
            const size_t size = encoded(c, from, text);
            for (size_t part = 0; part <= size; part++) {
                char *const in = (char *)memcpy(c->in + AREA - part, text, part);
                for (size_t room = 0; room <= 4 * characters + 4; room += 1 + room / 40) {
                    fill(c, room);
                    struct answer answers[2] = {0};
                    for (int i = 0; i < 2; i++) {
                        const iconv_t cd = iconv_open(NAMES[to], NAMES[from]);
                        call_iconv(&answers[i], i, cd, in, part, (char *)c->out[i] + AREA - room, room);
                        iconv_close(cd);
                    }
                    compare(c, NAMES[from], &answers[0], &answers[1], room);
                }
            }
        }
    }
}

static void prepare(struct context *c) {
    c->in = area();
    c->out[0] = area();
    c->out[1] = area();
}

/* Every byte and every character of an encoding with one byte for each, in a process of its own: the kit remembers only some. */
static void page(struct context *c, const char *name) {
    const iconv_t decoding = iconv_open("WCHAR_T", name), encoding = iconv_open(name, "UTF-32LE");
    if (decoding == (iconv_t)-1 || encoding == (iconv_t)-1) {
        printf("musl has no %s\n", name);
        return;
    }
    uint32_t text[256];
    for (uint32_t first = 0; first < 0x10300; first += 256) {
        for (uint32_t i = 0; i < 256; i++) {
            text[i] = first + i;
        }
        struct answer answers[2] = {0};
        fill(c, 256);
        for (int i = 0; i < 2; i++) {
            call_iconv(&answers[i], i, encoding, (char *)text, sizeof text, (char *)c->out[i] + AREA - 256,
                       256);
        }
        compare(c, name, &answers[0], &answers[1], 256);
    }
    for (uint32_t first = 0; first < 256; first++) {
        uint8_t bytes[256];
        for (uint32_t i = 0; i < 256 - first; i++) {
            bytes[i] = (uint8_t)(first + i);
        }
        struct answer answers[2] = {0};
        fill(c, 1024);
        for (int i = 0; i < 2; i++) {
            call_iconv(&answers[i], i, decoding, (char *)bytes, 256 - first, (char *)c->out[i] + AREA - 1024,
                       1024);
        }
        compare(c, name, &answers[0], &answers[1], 1024);
    }
    if (behind > 1000) {
        fail(c, "whether the kit converts");
    }
}

static void all_pages(void) {
    static const char *const PAGES_OF_BYTES[] = {
        "ISO-8859-2",  "ISO-8859-3",  "ISO-8859-4",  "ISO-8859-5",  "ISO-8859-6",  "ISO-8859-7",
        "ISO-8859-8",  "ISO-8859-9",  "ISO-8859-10", "ISO-8859-11", "ISO-8859-13", "ISO-8859-14",
        "ISO-8859-15", "ISO-8859-16", "CP1250",      "CP1251",      "CP1252",      "CP1253",
        "CP1254",      "CP1255",      "CP1256",      "CP1257",      "CP1258",      "KOI8-R",
        "KOI8-U",      "CP437",       "CP850",       "CP866",       "IBM1047"};
    for (size_t i = 0; i < sizeof PAGES_OF_BYTES / sizeof *PAGES_OF_BYTES; i++) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            static struct context c;
            c.seed = i + 1;
            prepare(&c);
            page(&c, PAGES_OF_BYTES[i]);
            exit(0);
        }
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != 0) {
            abort();
        }
    }
}

static void *run(void *argument) {
    struct context *const c = argument;
    uselocale(c->locale);
    prepare(c);
    for (long i = 0; i < c->times; i++) {
        make(c);
        switch (next(c) % 8) {
        case 0:
            multibyte(c, false);
            break;
        case 1:
            multibyte(c, true);
            break;
        case 2:
            wide(c, false);
            break;
        case 3:
            wide(c, true);
            break;
        default:
            with_iconv(c);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        return 2;
    }
    all_pages();
    static struct context contexts[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        contexts[i].seed = (uint64_t)(atol(argv[2]) * 2 + i) * 0x9e3779b97f4a7c15 + 1;
        contexts[i].times = atol(argv[1]) / 2;
        contexts[i].locale = newlocale(LC_ALL_MASK, i == 0 ? "C.UTF-8" : "C", NULL);
        if (pthread_create(&threads[i], NULL, run, &contexts[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    static struct context c;
    c.seed = 77;
    prepare(&c);
    all_splits(&c, (size_t)atol(argv[3]));
    printf("%lu calls are the same, %lu of them by the function behind\n", calls, behind);
    return 0;
}
