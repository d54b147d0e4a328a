/*
 * The kit's vsnprintf, vasprintf and vfprintf beside musl's: bytes, result and errno, with less room than the text needs, with
 * none, and with a page behind the room that nobody may touch; streams of every kind of buffer. Linked with musl, as other C libraries print otherwise. Built with
 * -Dvsnprintf=kit_vsnprintf for the kit's files.
 *
 * printing COUNT [STEP]: every set of flags (every STEPth), with width, precision, length and conversion, of whole numbers
 * and texts; doubles of every power of two with every precision from none to 20; and so many formats made by chance.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <wchar.h>
#include <sys/mman.h>

int kit_vsnprintf(char *s, size_t n, const char *format, va_list ap);
int kit_vasprintf(char **s, const char *format, va_list ap);
int kit_vfprintf(FILE *file, const char *format, va_list ap);
int kit_vswprintf(wchar_t *s, size_t n, const wchar_t *format, va_list ap);
int __brawn_musl_vsnprintf(char *s, size_t n, const char *format, va_list ap);
int __brawn_musl_vfprintf(FILE *file, const char *format, va_list ap);

static long behind, tried, wrong;

int __brawn_musl_vsnprintf(char *s, size_t n, const char *format, va_list ap) {
    behind++;
    return vsnprintf(s, n, format, ap);
}

int __brawn_musl_vfprintf(FILE *file, const char *format, va_list ap) {
    behind++;
    return vfprintf(file, format, ap);
}

int __brawn_musl_vswprintf(wchar_t *s, size_t n, const wchar_t *format, va_list ap) {
    behind++;
    return vswprintf(s, n, format, ap);
}

static uint64_t state = 88172645463325252;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* What lies before the page. */
static char *room_end;

static void report(const char *format, size_t room, int theirs, int ours, int error, const char *text,
                   const char *our_text) {
    if (wrong++ < 20) {
        printf("'%s' in %zu: %d errno %d '%s', not %d '%s'\n", format, room, ours, error, our_text, theirs,
               text);
    }
}

static void same_in(size_t room, const char *format, va_list ap) {
    static char text[1 << 16];
    va_list one, two;
    va_copy(one, ap);
    va_copy(two, ap);
    char *const ours = room_end - room;
    memset(text, '#', room + 1);
    memset(ours, '#', room);
    errno = 0;
    const int result = vsnprintf(room ? text : NULL, room, format, one);
    const int error = errno;
    errno = 0;
    const int our_result = kit_vsnprintf(room ? ours : NULL, room, format, two);
    const int our_error = errno;
    va_end(one);
    va_end(two);
    tried++;
    /* After an error only the text's existence is promised. */
    const size_t length = result < 0 || !room ? 0 : (size_t)result < room ? (size_t)result + 1 : room;
    if (result != our_result || error != our_error || memcmp(text, ours, length)) {
        text[room] = 0;
        report(format, room, result, our_result, our_error, text, room ? ours : "");
    }
    for (size_t i = length; result >= 0 && i < room; i++) {
        if (ours[i] != '#') {
            report(format, room, result, our_result, our_error, "no byte behind the end", ours);
            break;
        }
    }
}

/* The same into two streams of one kind; what they wrote is compared when both are flushed. */
struct pair {
    FILE *theirs, *ours;
    char *text, *our_text;
    size_t size, our_size;
};

static struct pair now;

static ssize_t add(void *cookie, const char *from, size_t size) {
    FILE *const file = cookie;
    return fwrite(from, 1, size, file) == size && fflush(file) == 0 ? (ssize_t)size : -1;
}

static FILE *into(char **text, size_t *size, int kind, size_t room, FILE **memory) {
    *memory = open_memstream(text, size);
    FILE *const file = fopencookie(*memory, "w", (cookie_io_functions_t){.write = add});
    if (!file || setvbuf(file, NULL, kind, 0)) {
        exit(2);
    }
    if (kind != _IONBF) {
        setvbuf(file, malloc(room + 8), kind, room + 8);
    }
    return file;
}

static void to_streams(const char *format, va_list ap) {
    va_list one, two;
    va_copy(one, ap);
    va_copy(two, ap);
    errno = 0;
    const int result = vfprintf(now.theirs, format, one);
    const int error = errno;
    errno = 0;
    const int our_result = kit_vfprintf(now.ours, format, two);
    /* Of a stream for reading without a buffer musl's writes nothing, which sets errno, and others do not. */
    if (result != our_result || (error != errno && __fwritable(now.ours)) ||
        ferror(now.theirs) != ferror(now.ours)) {
        report(format, 0, result, our_result, errno, "to a stream", "");
    }
    va_end(one);
    va_end(two);
    tried++;
}

/* The same with wide characters, in as much room as it needs and in less. */
static void wide(size_t room, const char *format, va_list ap) {
    static wchar_t text[1 << 15], our_text[1 << 15], wide_format[300];
    /* musl's refuses pointers. */
    if (room > 1 << 15 || strchr(format, 'p') || mbstowcs(wide_format, format, 300) > 299) {
        return;
    }
    va_list one, two;
    va_copy(one, ap);
    va_copy(two, ap);
    memset(text, 1, sizeof *text * room);
    memset(our_text, 1, sizeof *text * room);
    errno = 0;
    const int result = vswprintf(text, room, wide_format, one);
    const int error = errno;
    errno = 0;
    const int our_result = kit_vswprintf(our_text, room, wide_format, two);
    if (result != our_result || error != errno || memcmp(text, our_text, sizeof *text * room)) {
        report(format, room, result, our_result, errno, "wide characters", "");
    }
    va_end(one);
    va_end(two);
    tried++;
}

static void same(const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t all = length < 0 ? 8 : length > 1 << 15 ? 1 << 15 : (size_t)length + 1;
    same_in(all, format, ap);
    same_in(0, format, ap);
    same_in(all - 1, format, ap);
    same_in((size_t)(next() % (all + 1)), format, ap);
    same_in(all + 3, format, ap);
    wide(all + 2, format, ap);
    wide(all - 1, format, ap);
    wide((size_t)(next() % (all + 1)), format, ap);
    if (now.theirs) {
        to_streams(format, ap);
    }
    va_end(ap);
}

/* One room, where musl takes long. */
static void once(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    same_in(8, format, ap);
    va_end(ap);
}

/* Every room from none to more than enough. */
static void cut(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    for (size_t room = 0; room < 200; room++) {
        same_in(room, format, ap);
    }
    va_end(ap);
}

static void allocated(const char *format, ...) {
    va_list ap, again, third;
    va_start(ap, format);
    va_copy(again, ap);
    va_copy(third, ap);
    char *text = NULL, *our_text = NULL;
    errno = 0;
    const int result = vasprintf(&text, format, again);
    const int error = errno;
    errno = 0;
    const int our_result = kit_vasprintf(&our_text, format, third);
    if (result != our_result || error != errno || !text != !our_text || (text && strcmp(text, our_text))) {
        report(format, 0, result, our_result, errno, text ? text : "", our_text ? our_text : "");
    }
    free(text);
    free(our_text);
    va_end(ap);
    va_end(again);
    va_end(third);
}

static const uint64_t whole[] = {0,
                                 1,
                                 7,
                                 8,
                                 9,
                                 10,
                                 99,
                                 100,
                                 127,
                                 128,
                                 255,
                                 256,
                                 32767,
                                 32768,
                                 65535,
                                 65536,
                                 999999,
                                 2147483647,
                                 2147483648,
                                 4294967295,
                                 -1ul,
                                 -2147483648ul,
                                 -100ul,
                                 -1000000007ul,
                                 INT64_MAX,
                                 1ul << 63,
                                 9999999999999999999ul,
                                 10000000000000000000ul,
                                 1234567890123456789ul};

static uint64_t some(void) {
    switch (next() % 3) {
    case 0:
        return whole[next() % (sizeof whole / sizeof *whole)];
    case 1:
        return next() >> next() % 64;
    default:
        return -(next() >> next() % 64);
    }
}

static double real(void) {
    union {
        uint64_t bits;
        double value;
    } it = {next()};
    switch (next() % 6) {
    case 0:
        return it.value;
    case 1:
        return (double)(int64_t)some();
    case 2:
        return (double)(int64_t)(next() % 2000001) / 1000 - 1000;
    /* Halfway between two texts. */
    case 3:
        return (double)(int64_t)(next() >> next() % 64) / (double)(1ul << next() % 40);
    case 4:
        return (double)(int64_t)(next() % 1000) / 8 * (next() % 2 ? 1e3 : 1e-3);
    default:
        it.bits = it.bits >> 12 | (1023 - 90 + next() % 220) << 52 | (next() & 1) << 63;
        return it.value;
    }
}

static void every_flag(unsigned step) {
    static const char *const lengths[] = {"", "l", "ll", "h", "hh", "z", "j", "t"};
    static const char *const widths[] = {"", "1", "7", "30"};
    static const char *const precisions[] = {"", ".", ".0", ".1", ".5", ".27"};
    static const char *const words[] = {"",  "a", "four", "sixteen letters!", "more than sixteen letters",
                                        NULL};
    for (unsigned flags = 0; flags < 64; flags += step) {
        for (unsigned w = 0; w < 4; w++) {
            for (unsigned p = 0; p < 6; p++) {
                char format[40];
                char head[24];
                snprintf(head, sizeof head, "%%%s%s%s%s%s%s%s%s", flags & 1 ? "#" : "", flags & 2 ? "0" : "",
                         flags & 4 ? "-" : "", flags & 8 ? " " : "", flags & 16 ? "+" : "",
                         flags & 32 ? "'" : "", widths[w], precisions[p]);
                for (const char *c = "diouxXp"; *c; c++) {
                    for (unsigned l = 0; l < 8; l++) {
                        snprintf(format, sizeof format, "%s%s%c", head, lengths[l], *c);
                        same(format, some());
                        same(format, 0);
                    }
                }
                for (const char *c = "eEfFgGaA"; *c; c++) {
                    snprintf(format, sizeof format, "<%s%c>", head, *c);
                    same(format, real());
                    same(format, 0.0);
                    same(format, -0.0);
                    same(format, 1.0 / 0.0);
                    same(format, 100000.0);
                    snprintf(format, sizeof format, "<%sl%c>", head, *c);
                    same(format, real());
                    snprintf(format, sizeof format, "<%sL%c>", head, *c);
                    same(format, (long double)real());
                }
                snprintf(format, sizeof format, "%ss", head);
                same(format, words[next() % 6]);
                snprintf(format, sizeof format, "%sc", head);
                same(format, (int)(next() % 256));
                snprintf(format, sizeof format, "%sls", head);
                same(format, L"wide");
                snprintf(format, sizeof format, "%s%%", head);
                same(format, 1);
                snprintf(format, sizeof format, "%sm", head);
                same(format, 1);
                snprintf(format, sizeof format, "%sy", head);
                same(format, 1);
                snprintf(format, sizeof format, "%sls", head);
                same(format, L"w\xfffffff");
            }
        }
    }
}

static void every_exponent(unsigned step) {
    const int stride = 1 + (int)step / 8;
    static const char *const formats[] = {"%.*e", "%.*f", "%.*g", "%#.*g", "%+.*G", "%-40.*e|"};
    for (unsigned exponent = 0; exponent < 2048;
         exponent += exponent < 900 || exponent > 1160 ? 1 + 8 * (step - 1) : 1 + step / 4) {
        for (int precision = -1; precision <= 20; precision += stride) {
            for (unsigned f = 0; f < 6; f++) {
                const union {
                    uint64_t bits;
                    double value;
                } it = {(uint64_t)exponent << 52 |
                        (f % 2 ? next() >> 12 : (next() >> 12 & ~0ul << next() % 52))};
                same(formats[f], precision, it.value);
            }
        }
    }
    /* What rounds up to one digit more, and the powers themselves. */
    for (int precision = 0; precision <= 18; precision += stride) {
        double ten = 1e-30;
        for (int i = 0; i < 60; i++, ten *= 10) {
            char text[48];
            snprintf(text, sizeof text, "%.17ge0", ten);
            const double power = strtod(text, NULL);
            for (unsigned f = 0; f < 6; f++) {
                same(formats[f], precision, power);
                same(formats[f], precision, power * (1 - 0x1p-53));
                same(formats[f], precision, power * 9.5);
                same(formats[f], precision, power * 9.9999999999999995);
                same(formats[f], precision, power / 2);
            }
        }
    }
}

static void by_chance(void) {
    /* So many arguments of each kind that any order of conversions is served: first all whole, then all doubles. */
    static const char flags[] = "#0- +'";
    static const char *const texts[] = {"",   "=",     ", ", "%%", "a text of more than sixteen letters ",
                                        "\n", "100%% "};
    char format[256];
    size_t end = 0;
    const char *const conversions = next() % 2 ? "diouxXcpeEfFgG" : "dxuiegf";
    const unsigned count = (unsigned)(next() % 5);
    for (unsigned i = 0; i <= count; i++) {
        end += (size_t)sprintf(format + end, "%s", texts[next() % 7]);
        if (i == count) {
            break;
        }
        format[end++] = '%';
        while (next() % 3 == 0) {
            format[end++] = flags[next() % 6];
        }
        if (next() % 2) {
            end += (size_t)sprintf(format + end, "%d", (int)(next() % 24));
        }
        if (next() % 2) {
            end += (size_t)sprintf(format + end, ".%d", (int)(next() % 19));
        }
        const char c = conversions[next() % strlen(conversions)];
        if (strchr("diouxX", c) && next() % 2) {
            static const char *const lengths[] = {"l", "ll", "h", "hh", "z", "j", "t"};
            end += (size_t)sprintf(format + end, "%s", lengths[next() % 7]);
        }
        format[end++] = c;
    }
    format[end] = 0;
    /* Whole numbers and doubles are in registers of their own on both architectures. */
    same(format, some(), real(), some(), real(), real(), real(), some());
}

/* Formats by chance, and texts and numbers of any length, into streams with every kind of buffer. */
static void streams(long count) {
    static const int kinds[] = {_IOFBF, _IOLBF, _IONBF, _IOFBF};
    for (long round = 0; round * 40 < count; round++) {
        const int kind = kinds[round % 4];
        const size_t room = (size_t)(next() >> (next() % 11 + 53));
        FILE *memory, *our_memory;
        now.theirs = into(&now.text, &now.size, kind, room, &memory);
        now.ours = into(&now.our_text, &now.our_size, kind, room, &our_memory);
        for (int i = 0; i < 40; i++) {
            by_chance();
            same("%*d\n%s", (int)(next() % 3000), 1, "a\nb");
            same(i % 2 ? "" : "line\n");
            if (i % 8 == 0) {
                same("%s%lc", "half", 0x20ac0000);
                same("%.30f", real());
            }
            if (i % 16 == 0) {
                fflush(now.theirs);
                fflush(now.ours);
            }
            /* Without a buffer all is out at once, and with lines all to the end of the last; how much of what does not
             * fit goes with it is left to each. */
            size_t out = kind == _IOFBF ? 0 : now.size;
            while (kind == _IOLBF && out && now.text[out - 1] != '\n') {
                out--;
            }
            const size_t most = kind == _IONBF ? out : now.our_size;
            if (now.our_size < out || now.our_size > most || memcmp(now.text, now.our_text, out)) {
                report("", room, (int)now.size, (int)now.our_size, kind, "another text in a stream", "");
            }
        }
        fclose(now.theirs);
        fclose(now.ours);
        fclose(memory);
        fclose(our_memory);
        if (now.size != now.our_size || memcmp(now.text, now.our_text, now.size)) {
            report("", room, (int)now.size, (int)now.our_size, kind, "another text in a stream", "");
        }
        free(now.text);
        free(now.our_text);
    }
    now.theirs = now.ours = NULL;
}

/* Streams that take nothing. */
static void failing(void) {
    static const int kinds[] = {_IOFBF, _IOLBF, _IONBF};
    for (int i = 0; i < 12; i++) {
        FILE **const streams[] = {&now.theirs, &now.ours};
        for (int k = 0; k < 2; k++) {
            *streams[k] = fopen(i % 2 ? "/dev/full" : "/dev/null", i % 4 > 1 ? "r" : "w");
            if (!*streams[k] || setvbuf(*streams[k], NULL, kinds[i / 4], 0)) {
                exit(2);
            }
        }
        same("");
        same("%d", 1);
        same("%3000d\n", 1);
        same("%3000d\n", 1);
        same("%900d\n", 1);
        same("%.30f", 0.1);
        fclose(now.theirs);
        fclose(now.ours);
    }
    now.theirs = now.ours = NULL;
}

int main(int argc, char **argv) {
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    const size_t size = 1 << 16;
    char *const pages = mmap(NULL, size * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + size, size, PROT_NONE)) {
        return 2;
    }
    room_end = pages + size;
    const unsigned step = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    every_flag(step);
    every_exponent(step);
    cut("%s=%d (%5.2f) 0x%lx%%", "name", -42, 3.14159, 255ul);
    cut("nothing to be put in here, only a text, and a long one");
    cut("%150s|%-20d|%020d", "right", 5, -6);
    same("%2$s %1$s", "one", "two");
    same("%*d|%-*d|%.*d", -5, 1, 5, 2, -3, 3);
    same("%.*s|%*s", -1, "whole", -8, "left");
    same("%.3s", "abc");
    once("%2147483647d", 1);
    same("%2147483648d", 1);
    once("%.2147483647d", 1);
    once("%2147483647d%d", 1, 2);
    once("%99999999d", 1);
    once("%*d", INT_MIN + 1, 1);
    same("%.99999999999s", "a");
    int at = 0;
    same("ab%ncd", &at);
    wrong += at != 2;
    same("%");
    same("%5");
    same("%l");
    same("%hs", "a");
    same("%lld%", 1ll);
    same("%lc", 0x20ac);
    same("%Lf", 1.5L);
    same("%Lg %LG %Le", (long double)HUGE_VAL, -0.0L, (long double)-NAN);
    same("%Ld|%Ls", 1ll, "a");
    for (int exponent = -16500; exponent<16500; exponent += exponent> - 1100 && exponent < 1100 ? 7 : 97) {
        /* Doubles, and what has a bit more than they have. */
        const long double x = ldexpl(1.2345678L, exponent), y = ldexpl(-(double)1.2345678L, exponent);
        same("%Le|%.10Lg|%.3Lf", y, y, y);
        same("%.16Le|%Lg|%+.17LG", x, ldexpl(1.5L, exponent), ldexpl(1 + 0x1p-52L, exponent));
        same("%.12Lg", ldexpl(1 + 0x1p-53L, exponent));
    }
    same("%zf", 1.5);
    same("");
    same("%s|%5.1s|%.3s", "h\303\251llo", "\303\251\303\251", "ab\303\251");
    same("%c%c", 0303, 0251);
    static wchar_t wide_text[140];
    for (size_t end = 0; end < 139; end++) {
        wide_text[end] = L'a' + (wchar_t)(end % 26);
        same("%ls|%5.3ls|%.*ls", wide_text, wide_text, (int)end, wide_text);
    }
    wide_text[2] = 0x20ac;
    same("%.2ls", wide_text);
    same("%.3ls", wide_text);
    same("%lls", wide_text);
    same("%510d", 1);
    same("%511d", 1);
    same("%512d", 1);
    same("%c", 0);
    char longest[300];
    memset(longest, 'x', sizeof longest);
    for (size_t end = 250; end < 295; end++) {
        memcpy(longest + end, "%d", 3);
        same(longest, 1);
        longest[end + 2] = 'x';
    }
    allocated("%s", "short");
    allocated("%300d|%s", 5, "long");
    allocated("%255d", 5);
    allocated("%256d", 5);
    allocated("%");
    allocated("");
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (unsigned i = 0; i < 3; i++) {
        fesetround(modes[i]);
        same("%.3f %.3e %.3g", 1.0 / 3, -2.0 / 3, 0.1);
        same("%.0f %.1f", 2.5, 0.25);
        fesetround(FE_TONEAREST);
    }
    for (long i = 0; i < count; i++) {
        by_chance();
    }
    streams(count / 4);
    failing();
    printf("%ld compared, %ld by the function behind\n", tried, behind);
    return wrong != 0;
}
