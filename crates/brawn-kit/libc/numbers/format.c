/*
 * The text of a format, written straight to where it goes, with no stream between.
 *
 * What is rare is musl's, which then begins anew, with the arguments as they were: positional arguments, wide characters but
 * short texts of ASCII, %m, %n, %a, long doubles that are no doubles, infinities, doubles with more digits or of another size
 * than scaled() takes, other rounding than to nearest, results beyond INT_MAX, and all that is no format.
 */

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decimal.h"
#include "format.h"
#include "long.h"

#pragma GCC visibility push(default)
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t n);
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int c, size_t n);
char *__strchrnul(const char *s, int c);
#pragma GCC visibility pop

typedef unsigned __int128 wide;
typedef uint64_t __attribute__((aligned(1), may_alias)) word;
typedef uint32_t __attribute__((aligned(1), may_alias)) half;

#define FLAG(c) (1u << ((c) - ' '))
#define ALTERNATE FLAG('#')
#define ZERO FLAG('0')
#define LEFT FLAG('-')
#define SPACE FLAG(' ')
#define PLUS FLAG('+')
#define FLAGS (ALTERNATE | ZERO | LEFT | SPACE | PLUS | FLAG('\''))

/* Wider ones, and more digits, are musl's. */
#define MOST_WIDTH 100000000

struct out {
    char *to;
    /* Bytes that it still takes, and bytes that there were to take. */
    size_t room, count;
};

static inline void put(struct out *out, const char *from, size_t n) {
    out->count += n;
    n = n < out->room ? n : out->room;
    char *const to = out->to;
    out->room -= n;
    out->to += n;
    if (n > 16) {
        memcpy(to, from, n);
    } else if (n >= 8) {
        const uint64_t first = *(const word *)from, last = *(const word *)(from + n - 8);
        *(word *)to = first;
        *(word *)(to + n - 8) = last;
    } else if (n >= 4) {
        const uint32_t first = *(const half *)from, last = *(const half *)(from + n - 4);
        *(half *)to = first;
        *(half *)(to + n - 4) = last;
    } else {
        for (size_t i = 0; i < n; i++) {
            to[i] = from[i];
        }
    }
}

static __attribute__((noinline)) void pad(struct out *out, char c, size_t n) {
    out->count += n;
    n = n < out->room ? n : out->room;
    memset(out->to, c, n);
    out->room -= n;
    out->to += n;
}

static const char pairs[200] __attribute__((nonstring)) =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* The digits of a number before `end`, and none of 0. */
static inline char *decimal(uint64_t value, char *end) {
    while (value >= 100) {
        const size_t pair = value % 100 * 2;
        value /= 100;
        *--end = pairs[pair + 1];
        *--end = pairs[pair];
    }
    if (value >= 10) {
        *--end = pairs[value * 2 + 1];
        *--end = pairs[value * 2];
    } else if (value) {
        *--end = (char)('0' + value);
    }
    return end;
}

static const uint64_t fives[28] = {
    1,
    5,
    25,
    125,
    625,
    3125,
    15625,
    78125,
    390625,
    1953125,
    9765625,
    48828125,
    244140625,
    1220703125,
    6103515625,
    30517578125,
    152587890625,
    762939453125,
    3814697265625,
    19073486328125,
    95367431640625,
    476837158203125,
    2384185791015625,
    11920928955078125,
    59604644775390625,
    298023223876953125,
    1490116119384765625,
    7450580596923828125,
};

/* m 2^e 10^k to the nearest integer, the even one if two are as near, by exact numbers; m is below 2^53. False where they
 * become too large. */
static inline bool scaled_exactly(uint64_t m, int e, int k, uint64_t *result) {
    if (k > 27 || k < -27) {
        return false;
    }
    const int shift = e + k;
    uint64_t whole;
    bool up;
    if (k >= 0) {
        const wide product = (wide)m * fives[k];
        if (shift >= 0) {
            if (shift > 62 || product >> (63 - shift)) {
                return false;
            }
            *result = (uint64_t)product << shift;
            return true;
        }
        if (shift < -120) {
            *result = 0;
            return true;
        }
        if (product >> -shift >> 63) {
            return false;
        }
        whole = (uint64_t)(product >> -shift);
        const wide rest = product & (((wide)1 << -shift) - 1), middle = (wide)1 << (-shift - 1);
        up = rest > middle || (rest == middle && whole & 1);
    } else {
        uint64_t divisor = fives[-k];
        if (shift >= 0) {
            if (shift > 10) {
                return false;
            }
            m <<= shift;
        } else {
            if (-shift >= __builtin_clzll(divisor)) {
                return false;
            }
            divisor <<= -shift;
        }
        whole = m / divisor;
        const uint64_t rest = m % divisor;
        up = rest > divisor - rest || (rest == divisor - rest && whole & 1);
    }
    *result = whole + up;
    return true;
}

/* The same, by the leading bits alone. False also where they cannot tell what is nearer. */
static bool scaled(uint64_t m, int e, int k, uint64_t *result) {
    if (scaled_exactly(m, e, k, result)) {
        return true;
    }
    wide bits;
    long lowest;
    if (!leading_bits(m, k, &bits, &lowest)) {
        return false;
    }
    const long shift = -(lowest + e);
    if (shift > 128) {
        *result = 0;
        return true;
    }
    if (shift < 65) {
        return false;
    }
    const wide half = (wide)1 << (shift - 1);
    const wide rest = bits & (half | (half - 1));
    if (half - rest + 4 <= 8) {
        return false;
    }
    *result = (shift < 128 ? (uint64_t)(bits >> shift) : 0) + (rest > half);
    return true;
}

static bool to_nearest(void) {
    const volatile double one = 1, tiny = 0x1p-60;
    return one + tiny == one && one - tiny == one;
}

static char *text(char *to, const char *from, int n) {
    for (int i = 0; i < n; i++) {
        to[i] = from[i];
    }
    return to + n;
}

#define MOST_DIGITS 17

/* A finite double without its sign, into 48 bytes; their number, or 0 if it is musl's. */
static int floating(char *begin, uint64_t bits, int precision, bool alternate, char conversion) {
    const int biased = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & (~UINT64_C(0) >> 12);
    const uint64_t m = biased ? fraction | UINT64_C(1) << 52 : fraction;
    const int e = biased ? biased - 1075 : -1074;
    const char kind = conversion | 32;
    if (precision < 0) {
        precision = 6;
    }
    if (precision > MOST_DIGITS || biased == 0x7ff || !to_nearest()) {
        return 0;
    }
    char digits[24];
    char *const end = digits + sizeof digits;
    char *first;
    uint64_t number;
    int exponent = 0;
    bool strip = false;
    if (kind == 'f') {
        if (!scaled(m, e, precision, &number)) {
            return 0;
        }
        first = decimal(number, end);
    } else {
        const int count = kind == 'e' ? precision + 1 : precision + !precision;
        if (count > MOST_DIGITS) {
            return 0;
        }
        if (m) {
            /* Never too large: at most log10 of the power of two that is in it. */
            const int power = e + 63 - __builtin_clzll(m);
            exponent = power * (power < 0 ? 1234 : 1233) >> 12;
            const uint64_t limit = fives[count] << count;
            while (scaled(m, e, count - 1 - exponent, &number) && number >= limit) {
                exponent++;
            }
            if (!scaled(m, e, count - 1 - exponent, &number)) {
                return 0;
            }
            first = decimal(number, end);
        } else {
            first = end;
        }
        while (end - first < count) {
            *--first = '0';
        }
        precision = count - 1;
        if (kind == 'g') {
            strip = !alternate;
            if (exponent >= -4 && exponent < count) {
                precision -= exponent;
                conversion -= 1;
            } else {
                conversion -= 2;
            }
        }
    }
    const char *last = end;
    char *to = begin;
    if ((conversion | 32) == 'f') {
        while (end - first < precision + 1) {
            *--first = '0';
        }
        to = text(to, first, (int)(end - first) - precision);
        first = end - precision;
    } else {
        *to++ = *first++;
    }
    while (strip && last > first && last[-1] == '0') {
        last--;
    }
    if (last > first || alternate) {
        *to++ = '.';
        to = text(to, first, (int)(last - first));
    }
    if ((conversion | 32) == 'e') {
        *to++ = conversion;
        *to++ = exponent < 0 ? '-' : '+';
        int size = exponent < 0 ? -exponent : exponent;
        if (size >= 100) {
            *to++ = (char)('0' + size / 100);
            size %= 100;
        }
        *to++ = pairs[size * 2];
        *to++ = pairs[size * 2 + 1];
    }
    return (int)(to - begin);
}

int __brawn_format(char *restrict s, size_t n, const char *restrict format, va_list ap) {
    char nowhere[1];
    struct out out = {n ? s : nowhere, n ? n - 1 : 0, 0};
    *out.to = 0;
    for (;;) {
        const char *run = format;
        while (*format && *format != '%') {
            if (++format - run == 16) {
                format = __strchrnul(format, '%');
                break;
            }
        }
        if (format != run) {
            const size_t length = (size_t)(format - run);
            if (length > INT_MAX - out.count) {
                return MUSLS;
            }
            put(&out, run, length);
        }
        if (!*format) {
            break;
        }
        format++;
        unsigned flags = 0;
        unsigned char c;
        while ((unsigned)(c = *format) - ' ' < 32 && FLAGS & 1u << (c - ' ')) {
            flags |= 1u << (c - ' ');
            format++;
        }
        int width = 0, precision = -1;
        if (c == '*') {
            width = va_arg(ap, int);
            if (width < 0) {
                flags |= LEFT;
                width = width < -MOST_WIDTH ? MOST_WIDTH : -width;
            }
            c = *++format;
        } else {
            while ((unsigned)c - '0' < 10 && width < MOST_WIDTH) {
                width = width * 10 + (c - '0');
                c = *++format;
            }
        }
        if (c == '.') {
            precision = 0;
            c = *++format;
            if (c == '*') {
                precision = va_arg(ap, int);
                c = *++format;
            } else {
                while ((unsigned)c - '0' < 10 && precision < MOST_WIDTH) {
                    precision = precision * 10 + (c - '0');
                    c = *++format;
                }
            }
        }
        if (width >= MOST_WIDTH || precision >= MOST_WIDTH) {
            return MUSLS;
        }
        /* How many l and how many h there are; z, t and j are as ll. */
        int longer = 0, shorter = 0;
        bool extended = false;
        if (c == 'l') {
            longer = 1;
            c = *++format;
            if (c == 'l') {
                longer = 2;
                c = *++format;
            }
        } else if (c == 'h') {
            shorter = 1;
            c = *++format;
            if (c == 'h') {
                shorter = 2;
                c = *++format;
            }
        } else if (c == 'z' || c == 't' || c == 'j') {
            longer = 2;
            c = *++format;
        } else if (c == 'L') {
            extended = true;
            c = *++format;
            if ((c | 32) < 'e' || (c | 32) > 'g') {
                return MUSLS;
            }
        }
        format++;
        if (flags & LEFT) {
            flags &= ~ZERO;
        }
        char buffer[48], ascii[128];
        char *const end = buffer + sizeof buffer;
        const char *from;
        size_t length, least;
        char prefix[2];
        size_t prefixed = 0;
        switch (c) {
        case '%':
            /* Nothing may stand between the two. */
            if (format[-2] != '%') {
                return MUSLS;
            }
            if (out.count >= INT_MAX) {
                return MUSLS;
            }
            put(&out, "%", 1);
            continue;
        case 'd':
        case 'i': {
            int64_t value = longer ? va_arg(ap, int64_t) : va_arg(ap, int);
            value = shorter == 2 ? (signed char)value : shorter ? (short)value : value;
            prefix[0] = value < 0 ? '-' : flags & PLUS ? '+' : ' ';
            prefixed = value < 0 || flags & (PLUS | SPACE);
            from = decimal(value < 0 ? -(uint64_t)value : (uint64_t)value, end);
            break;
        }
        case 'p':
        case 'o':
        case 'u':
        case 'x':
        case 'X': {
            uint64_t value;
            if (c == 'p') {
                if (longer || shorter) {
                    return MUSLS;
                }
                value = (uint64_t)(uintptr_t)va_arg(ap, void *);
                /* As musl: sixteen digits if a precision is given at all. */
                precision = precision < 0 || precision > 16 ? precision : 16;
                flags |= ALTERNATE;
                c = 'x';
            } else {
                value = longer ? va_arg(ap, uint64_t) : va_arg(ap, unsigned);
                value = shorter == 2 ? (unsigned char)value : shorter ? (unsigned short)value : value;
            }
            if (c == 'u') {
                from = decimal(value, end);
                break;
            }
            char *to = end;
            if (c == 'o') {
                for (uint64_t rest = value; rest; rest >>= 3) {
                    *--to = (char)('0' + (rest & 7));
                }
                if (flags & ALTERNATE && precision < end - to + 1) {
                    /* Not a precision that was given, which would take the zeros of the width away. */
                    *--to = '0';
                }
            } else {
                const char letters = (char)((c & 32) + 'A' - 10);
                for (uint64_t rest = value; rest; rest >>= 4) {
                    const char digit = rest & 15;
                    *--to = (char)(digit + (digit < 10 ? '0' : letters));
                }
                if (flags & ALTERNATE && value) {
                    prefix[0] = '0';
                    prefix[1] = (char)c;
                    prefixed = 2;
                }
            }
            from = to;
            break;
        }
        case 'c':
            if (longer || shorter) {
                return MUSLS;
            }
            *buffer = (char)va_arg(ap, int);
            from = buffer;
            length = 1;
            goto as_it_is;
        case 's':
            if (longer == 2 || shorter) {
                return MUSLS;
            }
            if (longer) {
                const wchar_t *const wide_text = va_arg(ap, const wchar_t *);
                const size_t most = (size_t)precision;
                if (!wide_text || flags & ZERO) {
                    return MUSLS;
                }
                for (length = 0; length < most && wide_text[length]; length++) {
                    if (length == sizeof ascii || (unsigned)wide_text[length] > 127) {
                        return MUSLS;
                    }
                    ascii[length] = (char)wide_text[length];
                }
                from = ascii;
                goto as_it_is;
            }
            from = va_arg(ap, const char *);
            if (!from) {
                from = "(null)";
            }
            length = precision < 0 ? strlen(from) : strnlen(from, (size_t)precision);
        as_it_is:
            flags &= ~ZERO;
            least = length;
            goto sized;
        case 'e':
        case 'f':
        case 'g':
        case 'E':
        case 'F':
        case 'G': {
            if (longer == 2 || shorter) {
                return MUSLS;
            }
            const uint64_t bits =
                extended ? bits_of_long(va_arg(ap, long double)) : bits_of(va_arg(ap, double));
            const bool negative = bits >> 63;
            prefix[0] = negative ? '-' : flags & PLUS ? '+' : ' ';
            prefixed = negative || flags & (PLUS | SPACE);
            length = (size_t)floating(buffer, bits, precision, flags & ALTERNATE, (char)c);
            if (!length) {
                return MUSLS;
            }
            from = buffer;
            least = length;
            goto sized;
        }
        default:
            return MUSLS;
        }
        length = (size_t)(end - from);
        if (precision >= 0) {
            flags &= ~ZERO;
            least = (size_t)precision > length ? (size_t)precision : length;
        } else {
            least = length ? length : 1;
        }
    sized:;
        const size_t shown = prefixed + least;
        const size_t blank = (size_t)width > shown ? (size_t)width - shown : 0;
        if (shown + blank > INT_MAX - out.count) {
            return MUSLS;
        }
        if (blank && !(flags & (LEFT | ZERO))) {
            pad(&out, ' ', blank);
        }
        if (prefixed) {
            put(&out, prefix, prefixed);
        }
        const size_t zeros = least - length + (flags & ZERO ? blank : 0);
        if (zeros) {
            pad(&out, '0', zeros);
        }
        put(&out, from, length);
        if (blank && flags & LEFT) {
            pad(&out, ' ', blank);
        }
    }
    *out.to = 0;
    return (int)out.count;
}
