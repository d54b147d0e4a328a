/* The kit's wcstod, wcstof and wcstold beside musl's: value, end and errno. wide COUNT: so many texts made by chance. */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static long behind, wrong, tried;

#define FLOATING(type, name, size)                                                                           \
    type kit_##name(const wchar_t *s, wchar_t **e);                                                          \
    type __brawn_musl_##name(const wchar_t *s, wchar_t **e) {                                                \
        behind++;                                                                                            \
        return name(s, e);                                                                                   \
    }                                                                                                        \
    static void check_##name(const wchar_t *text) {                                                          \
        wchar_t *end, *our_end;                                                                              \
        errno = 0;                                                                                           \
        const type value = name(text, &end);                                                                 \
        const int error = errno;                                                                             \
        errno = 0;                                                                                           \
        const type ours = kit_##name(text, &our_end);                                                        \
        const int our_error = errno;                                                                         \
        tried++;                                                                                             \
        if ((memcmp(&value, &ours, size) && value == value) || end != our_end || error != our_error) {       \
            wrong++;                                                                                         \
            printf("%s of '%ls': %La to %td errno %d, not %La to %td errno %d\n", #name, text,               \
                   (long double)ours, our_end - text, our_error, (long double)value, end - text, error);     \
        }                                                                                                    \
    }

FLOATING(float, wcstof, sizeof value)
FLOATING(double, wcstod, sizeof value)
/* On x86_64 ten of its bytes count. */
FLOATING(long double, wcstold, 10)

static uint64_t state = 88172645463325252;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

int main(int argc, char **argv) {
    static const wchar_t *const pieces[] = {
        L"",       L" ",        L"\t\n\v\f\r ",
        L"-",      L"+",        L"0",
        L"0x",     L"1",        L"7",
        L"12345",  L"99999",    L"00000000000",
        L".",      L"e5",       L"E-300",
        L"p-3",    L"abc",      L"zz",
        L"inf",    L"nan",      L"(a_1)",
        L"()",     L"Infinity", L"_",
        L"\u2003", L"\u0661",   L"\u00e9",
        L"1e400",  L"x",        L"@",
        L"e-5",    L"..",       L"1234567890123456789",
    };
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 10000;
    for (long i = 0; i < count; i++) {
        wchar_t text[256] = L"";
        for (unsigned parts = (unsigned)next() % 9; parts; parts--) {
            wcscat(text, pieces[next() % (sizeof pieces / sizeof *pieces)]);
        }
        check_wcstof(text);
        check_wcstod(text);
        check_wcstold(text);
        if (wrong > 20) {
            return 1;
        }
    }
    printf("%ld compared, %ld by the function behind\n", tried, behind);
    return wrong != 0;
}
