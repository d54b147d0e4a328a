// Conversions between encodings, in a UTF-8 locale.

#define _GNU_SOURCE
#include <iconv.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

#include "rows.h"

enum { CHARACTERS = 4000 };

struct sample {
    char utf8[4 * CHARACTERS + 1];
    wchar_t wide[CHARACTERS + 1];
    size_t size;
};

// Of one byte, mostly of one, of two, of three bytes a character.
static struct sample ascii, mixed, cyrillic, chinese;
static char latin[CHARACTERS], to[8 * CHARACTERS];
static wchar_t wide_to[CHARACTERS + 1];
static struct conversion {
    const char *to, *from;
    iconv_t state;
} to_16 = {"UTF-16LE", "UTF-8"}, from_16 = {"UTF-8", "UTF-16LE"}, to_32 = {"UTF-32LE", "UTF-8"},
  to_latin = {"ISO-8859-1", "UTF-8"}, from_latin = {"UTF-8", "ISO-8859-1"};
static char utf16[2 * CHARACTERS];
static size_t utf16_size;

static void make(struct sample *sample, wchar_t low, wchar_t high, unsigned ascii_of_16, uint64_t seed) {
    for (int i = 0; i < CHARACTERS; i++) {
        bool plain = next_random(&seed) % 16 < ascii_of_16;
        uint64_t letter = next_random(&seed);
        sample->wide[i] =
            plain ? L'a' + (wchar_t)(letter % 26) : low + (wchar_t)(letter % (uint64_t)(high - low));
    }
    sample->size = wcstombs(sample->utf8, sample->wide, sizeof sample->utf8);
    if (sample->size == (size_t)-1)
        fail("wcstombs");
}

static uint64_t convert(struct conversion *conversion, const char *from, size_t size) {
    char *in = (char *)from, *out = to;
    size_t room = sizeof to;
    size_t odd = iconv(conversion->state, &in, &size, &out, &room);
    return mix(odd + size, written(to, (size_t)(out - to)));
}

static void prepare(void) {
    if (!setlocale(LC_ALL, "C.UTF-8"))
        fail("setlocale");
    make(&ascii, L'a', L'z', 16, 9);
    make(&mixed, 0xc0, 0x100, 13, 10);
    make(&cyrillic, 0x410, 0x450, 2, 11);
    make(&chinese, 0x4e00, 0x9f00, 0, 12);
    for (int i = 0; i < CHARACTERS; i++)
        latin[i] = (char)mixed.wide[i];
    struct conversion *all[] = {&to_16, &from_16, &to_32, &to_latin, &from_latin};
    for (size_t i = 0; i < COUNT(all); i++)
        if ((all[i]->state = iconv_open(all[i]->to, all[i]->from)) == (iconv_t)-1)
            fail("iconv_open");
    for (int i = 0; i < CHARACTERS; i++) {
        utf16[2 * i] = (char)mixed.wide[i];
        utf16[2 * i + 1] = (char)(mixed.wide[i] >> 8);
    }
    utf16_size = sizeof utf16;
}

static uint64_t open_close(void) {
    iconv_t state = iconv_open("UTF-32LE", "UTF-8");
    return state == (iconv_t)-1 ? 1 : (uint64_t)iconv_close(state);
}

static uint64_t wide(size_t count) {
    return count == (size_t)-1 ? 0 : written(wide_to, count * sizeof *wide_to);
}

static uint64_t narrow(size_t count) {
    return count == (size_t)-1 ? 0 : written(to, count);
}

static uint64_t restartable(const struct sample *sample) {
    mbstate_t state = {0};
    const char *from = sample->utf8;
    return wide(mbsrtowcs(wide_to, &from, CHARACTERS + 1, &state));
}

static uint64_t limited(const struct sample *sample) {
    mbstate_t state = {0};
    const char *from = sample->utf8;
    return wide(mbsnrtowcs(wide_to, &from, sample->size, CHARACTERS, &state));
}

static uint64_t backward(const struct sample *sample) {
    mbstate_t state = {0};
    const wchar_t *from = sample->wide;
    return narrow(wcsrtombs(to, &from, sizeof to, &state));
}

// Character by character, each a call.
static uint64_t one_by_one(uint64_t times, const struct sample *sample) {
    mbstate_t state = {0};
    uint64_t sum = 0;
    size_t at = 0;
    for (uint64_t i = 0; i < times; i++) {
        wchar_t letter = 0;
        size_t size = mbrtowc(&letter, sample->utf8 + at, sample->size - at, &state);
        sum = mix(sum, (uint64_t)letter ^ size << 32);
        at = at + size < sample->size ? at + size : 0;
    }
    return sum;
}

static uint64_t mbrtowc_ascii(uint64_t times) {
    return one_by_one(times, &ascii);
}

static uint64_t mbrtowc_2(uint64_t times) {
    return one_by_one(times, &cyrillic);
}

static uint64_t mbrtowc_3(uint64_t times) {
    return one_by_one(times, &chinese);
}

static uint64_t lengths(uint64_t times) {
    uint64_t sum = 0;
    size_t at = 0;
    for (uint64_t i = 0; i < times; i++) {
        size_t size = mbrlen(mixed.utf8 + at, mixed.size - at, NULL);
        sum = mix(sum, size);
        at = at + size < mixed.size ? at + size : 0;
    }
    return sum;
}

static uint64_t to_bytes(uint64_t i) {
    mbstate_t state = {0};
    size_t size = wcrtomb(to, mixed.wide[i % CHARACTERS], &state);
    return written(to, size);
}

static uint64_t one_mbtowc(uint64_t i) {
    wchar_t letter = 0;
    int size = mbtowc(&letter, ascii.utf8 + i % CHARACTERS, 4);
    return (uint64_t)letter ^ (uint64_t)size << 32;
}

CALLS(iconv_16_ascii, convert(&to_16, ascii.utf8, ascii.size))
CALLS(iconv_16, convert(&to_16, mixed.utf8, mixed.size))
CALLS(iconv_16_chinese, convert(&to_16, chinese.utf8, chinese.size))
CALLS(iconv_from_16, convert(&from_16, utf16, utf16_size))
CALLS(iconv_32, convert(&to_32, mixed.utf8, mixed.size))
CALLS(iconv_latin, convert(&to_latin, mixed.utf8, mixed.size))
CALLS(iconv_from_latin, convert(&from_latin, latin, sizeof latin))
CALLS(iconv_open_close, open_close())
CALLS(mbstowcs_ascii, wide(mbstowcs(wide_to, ascii.utf8, CHARACTERS + 1)))
CALLS(mbstowcs_mixed, wide(mbstowcs(wide_to, mixed.utf8, CHARACTERS + 1)))
CALLS(mbstowcs_2, wide(mbstowcs(wide_to, cyrillic.utf8, CHARACTERS + 1)))
CALLS(mbstowcs_3, wide(mbstowcs(wide_to, chinese.utf8, CHARACTERS + 1)))
CALLS(mbstowcs_count, mbstowcs(NULL, mixed.utf8, 0))
CALLS(mbsrtowcs_mixed, restartable(&mixed))
CALLS(mbsnrtowcs_mixed, limited(&mixed))
CALLS(wcstombs_ascii, narrow(wcstombs(to, ascii.wide, sizeof to)))
CALLS(wcstombs_mixed, narrow(wcstombs(to, mixed.wide, sizeof to)))
CALLS(wcstombs_2, narrow(wcstombs(to, cyrillic.wide, sizeof to)))
CALLS(wcstombs_3, narrow(wcstombs(to, chinese.wide, sizeof to)))
CALLS(wcsrtombs_mixed, backward(&mixed))
CALLS(call_wcrtomb, to_bytes(i))
CALLS(call_mbtowc, one_mbtowc(i))
CALLS(call_btowc, btowc((int)(i % 128)))

static const struct row ROWS[] = {
    {"iconv-UTF-16-ascii", iconv_16_ascii, 1},
    {"iconv-UTF-16", iconv_16, 1, QUICK},
    {"iconv-UTF-16-chinese", iconv_16_chinese, 1},
    {"iconv-from-UTF-16", iconv_from_16, 1},
    {"iconv-UTF-32", iconv_32, 1},
    {"iconv-ISO-8859-1", iconv_latin, 1},
    {"iconv-from-ISO-8859-1", iconv_from_latin, 1},
    {"iconv_open-iconv_close", iconv_open_close, 1},
    {"mbstowcs-ascii", mbstowcs_ascii, 1},
    {"mbstowcs-mixed", mbstowcs_mixed, 1, QUICK},
    {"mbstowcs-2-bytes", mbstowcs_2, 1},
    {"mbstowcs-3-bytes", mbstowcs_3, 1},
    {"mbstowcs-count", mbstowcs_count, 1},
    {"mbsrtowcs-mixed", mbsrtowcs_mixed, 1},
    {"mbsnrtowcs-mixed", mbsnrtowcs_mixed, 1},
    {"wcstombs-ascii", wcstombs_ascii, 1},
    {"wcstombs-mixed", wcstombs_mixed, 1},
    {"wcstombs-2-bytes", wcstombs_2, 1},
    {"wcstombs-3-bytes", wcstombs_3, 1},
    {"wcsrtombs-mixed", wcsrtombs_mixed, 1},
    {"mbrtowc-ascii", mbrtowc_ascii, CHARACTERS},
    {"mbrtowc-2-bytes", mbrtowc_2, CHARACTERS},
    {"mbrtowc-3-bytes", mbrtowc_3, CHARACTERS},
    {"mbrlen-mixed", lengths, CHARACTERS},
    {"wcrtomb-mixed", call_wcrtomb, CHARACTERS},
    {"mbtowc-ascii", call_mbtowc, CHARACTERS},
    {"btowc", call_btowc, 128},
};

const struct group conversions_group = GROUP("conversions", prepare, ROWS);
