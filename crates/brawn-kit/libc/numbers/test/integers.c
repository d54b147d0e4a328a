/*
 * The kit's strtol, strtoul, wcstol and wcstoul beside the C library's: value, end and errno, in every base, with texts that end
 * where their page does. Built with -Dstrtol=kit_strtol and so on for the kit's files.
 *
 * integers COUNT: so many texts made by chance.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <wchar.h>

static long wrong, tried;

#define CHECK(type, name, character)                                                                         \
    type kit_##name(const character *s, character **end, int base);                                          \
    static void check_##name(const character *text, int base) {                                              \
        character *end = NULL, *our_end = NULL;                                                              \
        errno = 0;                                                                                           \
        const type value = name(text, &end, base);                                                           \
        const int error = errno;                                                                             \
        errno = 0;                                                                                           \
        const type ours = kit_##name(text, &our_end, base);                                                  \
        const int our_error = errno;                                                                         \
        tried++;                                                                                             \
        if (value != ours || end != our_end || error != our_error ||                                         \
            kit_##name(text, NULL, base) != value) {                                                         \
            if (wrong++ < 20) {                                                                              \
                printf("%s in base %d: %jx to %td errno %d, not %jx to %td errno %d:", #name, base,          \
                       (uintmax_t)ours, our_end - text, our_error, (uintmax_t)value, end - text, error);     \
                for (const character *c = text; *c; c++) {                                                   \
                    printf(" %x", (unsigned)*c);                                                             \
                }                                                                                            \
                printf("\n");                                                                                \
            }                                                                                                \
        }                                                                                                    \
    }

CHECK(long, strtol, char)
CHECK(unsigned long, strtoul, char)
CHECK(long, wcstol, wchar_t)
CHECK(unsigned long, wcstoul, wchar_t)

static uint64_t state = 88172645463325252;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t digits(unsigned char *to, uint64_t value, unsigned base) {
    unsigned char all[64];
    size_t size = 0;
    do {
        const unsigned d = (unsigned)(value % base);
        all[size++] = (unsigned char)(d < 10 ? '0' + d : (next() % 2 ? 'a' : 'A') + d - 10);
        value /= base;
    } while (value);
    for (size_t i = 0; i < size; i++) {
        to[i] = all[size - 1 - i];
    }
    return size;
}

/* Something like a number in this base, most often. */
static size_t make(unsigned char *text, int base) {
    static const char *const spaces[] = {"", "", "", "", " ", "\t\n\v\f\r ", "\034", "\b", "\205", "\240"};
    static const char *const fronts[] = {"", "", "", "", "-", "+", "--", "0x", "0X", "-0x", "+0", "0", "000"};
    static const char *const behind[] = {"",  "",  "",  "x", "-", "g",    "/",
                                         ":", "@", "[", "`", "{", "\200", "\377"};
    unsigned char *to = text;
    to = (unsigned char *)stpcpy((char *)to, spaces[next() % 10]);
    to = (unsigned char *)stpcpy((char *)to, fronts[next() % 13]);
    for (unsigned zeros = next() % 16 ? 0 : (unsigned)next() % 30; zeros; zeros--) {
        *to++ = '0';
    }
    const unsigned of = base >= 2 && base <= 36 && next() % 16 ? (unsigned)base : (unsigned)next() % 35 + 2;
    switch (next() % 8) {
    case 0:
        to += digits(to, INT64_MAX + (next() % 5) - 1, of);
        break;
    case 1:
        to += digits(to, UINT64_MAX - next() % 3, of);
        break;
    case 2:
        /* One digit more, which is beyond or not. */
        to += digits(to, UINT64_MAX / of - next() % 2, of);
        to += digits(to, next() % of, of);
        break;
    case 3:
        to += digits(to, next(), of);
        to += digits(to, next(), of);
        break;
    case 4:
        break;
    default:
        to += digits(to, next() >> next() % 64, of);
    }
    to = (unsigned char *)stpcpy((char *)to, behind[next() % 14]);
    return (size_t)(to - text);
}

int main(int argc, char **argv) {
    static const int bases[] = {10, 10, 0, 16, 0, 8, 2, 36, 1, -1, 37, 32};
    static const wchar_t wide_spaces[] = {0x85,  0xa0,     0x2003, 0x2007, 0x3000,
                                          0x661, 0x10ffff, -1,     ' ',    0x2028};
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 10000;
    const size_t page = 1 << 16;
    char *const pages = mmap(NULL, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE)) {
        return 2;
    }
    for (long i = 0; i < count; i++) {
        const int base = next() % 2 ? bases[next() % 12] : (int)(next() % 35) + 2;
        unsigned char text[256];
        const size_t size = make(text, base);
        char *const narrow = pages + page - size - 1;
        memcpy(narrow, text, size);
        narrow[size] = 0;
        check_strtol(narrow, base);
        check_strtoul(narrow, base);
        const size_t more = next() % 8 ? 0 : next() % 3;
        wchar_t *const wide = (wchar_t *)(void *)(pages + page) - size - more - 1;
        for (size_t k = 0; k < more; k++) {
            wide[k] = wide_spaces[next() % 10];
        }
        for (size_t k = 0; k < size; k++) {
            wide[more + k] = text[k];
        }
        if (size && next() % 8 == 0) {
            /* The low bits of a digit, and others above. */
            wide[more + next() % size] |= (wchar_t)(next() % 3 << (next() % 2 ? 8 : 16));
        }
        wide[more + size] = 0;
        check_wcstol(wide, base);
        check_wcstoul(wide, base);
    }
    printf("%ld compared\n", tried);
    return wrong != 0;
}
