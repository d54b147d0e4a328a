/*
 * The kit's inet_aton, ether_aton, ether_ntoa, a64l and l64a beside musl's: answers, bytes and errno, with texts that end where
 * their page does. Built with names that begin with kit_ for the kit's files. addresses COUNT: so many texts made by chance.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ether.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int kit___inet_aton(const char *s, void *to);
struct ether_addr *kit_ether_aton_r(const char *s, struct ether_addr *to);
struct ether_addr *kit_ether_aton(const char *s);
char *kit_ether_ntoa(const struct ether_addr *address);
long kit_a64l(const char *s);
char *kit_l64a(long number);

static uint64_t state = 88172645463325252;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static long wrong, taken[2];

static void expect(int same, const char *what, const char *text) {
    if (!same && wrong++ < 20) {
        printf("%s of '%s'\n", what, text);
    }
}

static void check(const char *text) {
    unsigned char theirs[8] = "unused", ours[8] = "unused";
    errno = 0;
    const int answer = inet_aton(text, (struct in_addr *)(void *)theirs);
    const int error = errno;
    errno = 0;
    const int our_answer = kit___inet_aton(text, ours);
    taken[0] += answer;
    expect(answer == our_answer && error == errno && (!answer || !memcmp(theirs, ours, 8)), "inet_aton",
           text);
    struct ether_addr their_address = {{1, 2, 3, 4, 5, 6}}, our_address = their_address;
    errno = 0;
    const int there = ether_aton_r(text, &their_address) != NULL;
    const int there_error = errno;
    errno = 0;
    const int our_there = kit_ether_aton_r(text, &our_address) == &our_address;
    taken[1] += there;
    expect(there == our_there && there_error == errno && !memcmp(&their_address, &our_address, 6),
           "ether_aton", text);
    if (there) {
        const struct ether_addr *const address = kit_ether_aton(text);
        expect(!memcmp(address, &their_address, 6), "ether_aton", text);
        expect(!strcmp(kit_ether_ntoa(address), ether_ntoa(address)), "ether_ntoa", text);
    }
    expect(a64l(text) == kit_a64l(text), "a64l", text);
    const long number = (long)(next() >> next() % 64);
    expect(!strcmp(l64a(number), kit_l64a(number)), "l64a", text);
}

int main(int argc, char **argv) {
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    const size_t page = 1 << 16;
    char *const pages = mmap(NULL, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE)) {
        return 2;
    }
    for (long i = 0; i < count; i++) {
        static const char *const forms[] = {"%u",   "%u",  "%u",  "%x",  "0x%x", "0%o", "%02x",
                                            "%02X", " %u", "-%u", "+%x", "",     "%u "};
        static const char others[] = ".:/;@[`{gGzZ0 x\200\377";
        char text[200];
        size_t at = 0;
        const char separator = i % 2 ? ':' : '.';
        const unsigned parts = next() % 4 ? (i % 2 ? 6 : 4) : (unsigned)next() % 8;
        const char *const usual = forms[next() % 8];
        for (unsigned part = 0; part < parts; part++) {
            if (part) {
                text[at++] = separator;
            }
            const unsigned value = (unsigned)(next() % 16 ? next() & 255 : next() >> (next() % 32 + 32));
            at += (size_t)sprintf(text + at, next() % 16 ? usual : forms[next() % 13], value);
        }
        if (at && next() % 8 == 0) {
            text[next() % at] = others[next() % (sizeof others - 1)];
        }
        if (next() % 16 == 0) {
            at += (size_t)sprintf(text + at, "%c", others[next() % (sizeof others - 1)]);
        }
        char *const tight = pages + page - at - 1;
        memcpy(tight, text, at);
        tight[at] = 0;
        check(tight);
    }
    for (unsigned c = 1; c < 256; c++) {
        char *const one = pages + page - 3;
        one[0] = (char)c, one[1] = '1', one[2] = 0;
        check(one);
    }
    printf("%ld and %ld of %ld are addresses\n", taken[0], taken[1], count);
    return wrong != 0 || taken[0] < count / 20 || taken[1] < count / 20;
}
