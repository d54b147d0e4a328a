// Classes and cases of characters, as programs get them from the headers: glibc's are partly tables that the compiler
// reads without a call. In a UTF-8 locale.

#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "rows.h"

enum { LETTERS = 1024 };

static unsigned char bytes[LETTERS];
// Latin with accents, Greek and Cyrillic letters; and plain ones.
static wint_t wide[LETTERS], plain[LETTERS];
static locale_t locale;
static wctype_t alphabetic;
static wctrans_t lower;
static char to[256];

static void prepare(void) {
    if (!setlocale(LC_ALL, "C.UTF-8") || !(locale = newlocale(LC_ALL_MASK, "C.UTF-8", NULL)))
        fail("setlocale");
    uint64_t seed = 13;
    for (int i = 0; i < LETTERS; i++) {
        static const wint_t RANGES[3][2] = {{0xc0, 0xd6}, {0x391, 0x3a1}, {0x410, 0x44f}};
        const wint_t *range = RANGES[next_random(&seed) % 3];
        bytes[i] = (unsigned char)(next_random(&seed) % 128);
        wide[i] = range[0] + (wint_t)(next_random(&seed) % (range[1] - range[0] + 1));
        plain[i] = 32 + (wint_t)(next_random(&seed) % 95);
    }
    alphabetic = wctype("alpha");
    lower = wctrans("tolower");
}

#define BYTE bytes[i % LETTERS]
#define WIDE wide[i % LETTERS]
#define PLAIN plain[i % LETTERS]

CALLS(call_isalpha, isalpha(BYTE) != 0)
CALLS(call_isdigit, isdigit(BYTE) != 0)
CALLS(call_isspace, isspace(BYTE) != 0)
CALLS(call_isalnum, isalnum(BYTE) != 0)
CALLS(call_isupper, isupper(BYTE) != 0)
CALLS(call_ispunct, ispunct(BYTE) != 0)
CALLS(call_isprint, isprint(BYTE) != 0)
CALLS(call_isxdigit, isxdigit(BYTE) != 0)
CALLS(call_isalpha_l, isalpha_l(BYTE, locale) != 0)
CALLS(call_tolower, tolower(BYTE))
CALLS(call_toupper, toupper(BYTE))
CALLS(call_iswalpha, iswalpha(WIDE) != 0)
CALLS(call_iswalpha_plain, iswalpha(PLAIN) != 0)
CALLS(call_iswdigit, iswdigit(PLAIN) != 0)
CALLS(call_iswspace, iswspace(PLAIN) != 0)
CALLS(call_iswupper, iswupper(WIDE) != 0)
CALLS(call_iswprint, iswprint(WIDE) != 0)
CALLS(call_iswpunct, iswpunct(PLAIN) != 0)
CALLS(call_iswalnum, iswalnum(WIDE) != 0)
CALLS(call_towlower, towlower(WIDE))
CALLS(call_towupper, towupper(WIDE))
CALLS(call_towlower_plain, towlower(PLAIN))
CALLS(call_towupper_plain, towupper(PLAIN))
CALLS(call_wcwidth, wcwidth((wchar_t)WIDE))
CALLS(call_wcwidth_plain, wcwidth((wchar_t)PLAIN))
CALLS(call_wcwidth_chinese, wcwidth((wchar_t)(0x4e00 + i % LETTERS)))
CALLS(call_wcswidth, wcswidth(L"a line of twenty-six wide.", 26))
CALLS(call_iswctype, iswctype(WIDE, alphabetic) != 0)
CALLS(call_towctrans, towctrans(WIDE, lower))
CALLS(call_wctype, wctype("alpha") != 0)
CALLS(call_strcoll, strcoll(i % 2 ? "the first of both" : "the second of both", "the name of both") > 0)
CALLS(call_strxfrm, strxfrm(to, "the name of both", sizeof to) > 0)
CALLS(call_wcscoll, wcscoll(i % 2 ? L"the first of both" : L"the second of both", L"the name of both") > 0)
CALLS(call_setlocale, setlocale(LC_ALL, NULL) != NULL)
CALLS(call_localeconv, text(localeconv()->decimal_point))
CALLS(call_mb_cur_max, MB_CUR_MAX)

static const struct row ROWS[] = {
    {"isalpha", call_isalpha, LETTERS},
    {"isdigit", call_isdigit, LETTERS},
    {"isspace", call_isspace, LETTERS},
    {"isalnum", call_isalnum, LETTERS},
    {"isupper", call_isupper, LETTERS},
    {"ispunct", call_ispunct, LETTERS},
    {"isprint", call_isprint, LETTERS},
    {"isxdigit", call_isxdigit, LETTERS},
    {"isalpha_l", call_isalpha_l, LETTERS},
    {"tolower", call_tolower, LETTERS},
    {"toupper", call_toupper, LETTERS},
    {"iswalpha", call_iswalpha, LETTERS},
    {"iswalpha-ascii", call_iswalpha_plain, LETTERS},
    {"iswdigit-ascii", call_iswdigit, LETTERS},
    {"iswspace-ascii", call_iswspace, LETTERS},
    {"iswpunct-ascii", call_iswpunct, LETTERS},
    {"iswupper", call_iswupper, LETTERS},
    {"iswprint", call_iswprint, LETTERS},
    {"iswalnum", call_iswalnum, LETTERS},
    {"towlower", call_towlower, LETTERS, QUICK},
    {"towupper", call_towupper, LETTERS},
    {"towlower-ascii", call_towlower_plain, LETTERS},
    {"towupper-ascii", call_towupper_plain, LETTERS},
    {"iswctype", call_iswctype, LETTERS},
    {"towctrans", call_towctrans, LETTERS},
    {"wctype", call_wctype, 1},
    {"wcwidth", call_wcwidth, LETTERS},
    {"wcwidth-ascii", call_wcwidth_plain, LETTERS},
    {"wcwidth-chinese", call_wcwidth_chinese, LETTERS},
    {"wcswidth-26", call_wcswidth, 1},
    {"strcoll", call_strcoll, 2},
    {"strxfrm", call_strxfrm, 2},
    {"wcscoll", call_wcscoll, 2},
    {"setlocale-asked", call_setlocale, 1},
    {"localeconv", call_localeconv, 1},
    {"MB_CUR_MAX", call_mb_cur_max, 1, DIFFERS},
};

const struct group characters_group = GROUP("characters", prepare, ROWS);
