/* inet_aton: four decimal numbers at once, and all other forms by strtoul, as in musl. */

#include "integer.h"

PUBLIC int __inet_aton(const char *s, uint8_t *to);
PUBLIC unsigned long strtoul(const char *restrict s, char **restrict end, int base);

static unsigned digit_of(char c) {
    return (unsigned)(unsigned char)c - '0';
}

/* Of one to four numbers in any of C's bases, of which the last fills what the others leave. */
static __attribute__((noinline)) int any_form(const char *s, uint8_t *to) {
    unsigned long parts[4];
    int count = 0;
    for (;; s++) {
        char *end;
        const unsigned long part = strtoul(s, &end, 0);
        if (end == s || (*end && *end != '.') || digit_of(*s) > 9) {
            return 0;
        }
        parts[count++] = part;
        s = end;
        if (!*s) {
            break;
        }
        if (count == 4) {
            return 0;
        }
    }
    for (; count < 4; count++) {
        const int below = 8 * (4 - count);
        parts[count] = parts[count - 1] & ((1ul << below) - 1);
        parts[count - 1] >>= below;
    }
    for (int i = 0; i < 4; i++) {
        if (parts[i] > 255) {
            return 0;
        }
        to[i] = (uint8_t)parts[i];
    }
    return 1;
}

int __inet_aton(const char *s, uint8_t *to) {
    const char *at = s;
    uint8_t octets[4];
    for (int i = 0; i < 4; i++) {
        unsigned octet = digit_of(*at), next;
        if (octet > 9) {
            return any_form(s, to);
        }
        /* A 0 in front is of another base. */
        for (at++; (next = digit_of(*at)) < 10; at++) {
            octet = octet ? octet * 10 + next : 256;
            if (octet > 255) {
                return any_form(s, to);
            }
        }
        if (*at++ != (i < 3 ? '.' : 0)) {
            return any_form(s, to);
        }
        octets[i] = (uint8_t)octet;
    }
    for (int i = 0; i < 4; i++) {
        to[i] = octets[i];
    }
    return 1;
}

WEAK_ALIAS(__inet_aton, inet_aton);
