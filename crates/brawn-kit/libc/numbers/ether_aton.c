/* ether_aton: pairs of hexadecimal digits at once, and what else strtoul takes for a number as in musl. */

#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))

struct ether_addr {
    uint8_t octets[6];
};

PUBLIC struct ether_addr *ether_aton_r(const char *s, struct ether_addr *to);
PUBLIC struct ether_addr *ether_aton(const char *s);
PUBLIC unsigned long strtoul(const char *restrict s, char **restrict end, int base);

static unsigned hexadecimal(char c) {
    const unsigned digit = (unsigned)(unsigned char)c - '0', letter = ((unsigned)(unsigned char)c | 32) - 'a';
    return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

static __attribute__((noinline)) struct ether_addr *of_numbers(const char *s, struct ether_addr *to) {
    struct ether_addr address;
    for (int i = 0; i < 6; i++) {
        if (i != 0 && *s++ != ':') {
            return 0;
        }
        char *end;
        const unsigned long octet = strtoul(s, &end, 16);
        s = end;
        if (octet > 255) {
            return 0;
        }
        address.octets[i] = (uint8_t)octet;
    }
    if (*s) {
        return 0;
    }
    *to = address;
    return to;
}

struct ether_addr *ether_aton_r(const char *s, struct ether_addr *to) {
    const char *at = s;
    struct ether_addr address;
    for (int i = 0; i < 6; i++) {
        unsigned octet = hexadecimal(*at), next;
        if (octet > 15) {
            return of_numbers(s, to);
        }
        if ((next = hexadecimal(*++at)) < 16) {
            octet = octet << 4 | next;
            at++;
        }
        if (*at++ != (i < 5 ? ':' : 0)) {
            return of_numbers(s, to);
        }
        address.octets[i] = (uint8_t)octet;
    }
    *to = address;
    return to;
}

struct ether_addr *ether_aton(const char *s) {
    static struct ether_addr address;
    return ether_aton_r(s, &address);
}
