/* ether_ntoa. */

#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))

PUBLIC char *ether_ntoa_r(const uint8_t *octets, char *to);
PUBLIC char *ether_ntoa(const uint8_t *octets);

char *ether_ntoa_r(const uint8_t *octets, char *to) {
    char *at = to;
    for (int i = 0; i < 6; i++) {
        for (int shift = 4; shift >= 0; shift -= 4) {
            const unsigned digit = octets[i] >> shift & 15;
            *at++ = (char)(digit < 10 ? '0' + digit : 'A' + digit - 10);
        }
        *at++ = i < 5 ? ':' : 0;
    }
    return to;
}

char *ether_ntoa(const uint8_t *octets) {
    static char text[18];
    return ether_ntoa_r(octets, text);
}
