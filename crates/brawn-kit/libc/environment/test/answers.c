/*
 * The kit's getenv, as kit_getenv, beside a plain one: names of every length up to 40, in variables that end where a page
 * does, so that no byte behind them can be read.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

char *kit_getenv(const char *name);

char **__environ_of_test;

static char *plain(const char *name) {
    const size_t length = strcspn(name, "=");
    if (!length || name[length] || !__environ_of_test)
        return NULL;
    for (char **at = __environ_of_test; *at; at++)
        if (!strncmp(*at, name, length) && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}

enum { PAGE = 4096, VARIABLES = 48 };

static uint64_t state = 88172645463325252;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Letters that often meet again, with a length that may be none. */
static size_t make(char *to, size_t most) {
    static const char letters[] = "SERVICE_SERVICE_SERVICE_SERVICE_SERVICE_";
    const size_t length = next() % (most + 1);
    memcpy(to, letters, length);
    if (length && next() % 2)
        to[next() % length] = "AS=\377"[next() % 4];
    return length;
}

int main(void) {
    char *pages =
        mmap(NULL, (2 * VARIABLES + 2) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 2;
    for (size_t i = 1; i < 2 * VARIABLES + 2; i += 2)
        mprotect(pages + i * PAGE, PAGE, PROT_NONE);
    char *variables[VARIABLES + 1];
    long found = 0, missed = 0;
    for (int round = 0; round < 20000; round++) {
        size_t count = next() % (VARIABLES + 1);
        for (size_t i = 0; i < count; i++) {
            char text[128];
            size_t length = make(text, 40);
            if (next() % 8)
                text[length++] = '=';
            text[length++] = 'v';
            text[length++] = 0;
            if (!(next() % 16))
                text[0] = 0, length = 1;
            /* Against the page's end, or a few bytes before. */
            variables[i] = pages + 2 * i * PAGE + PAGE - length - (next() % 2 ? next() % 24 : 0);
            memcpy(variables[i], text, length);
        }
        variables[count] = NULL;
        __environ_of_test = variables;
        for (int i = 0; i < 20; i++) {
            char text[64];
            size_t length = make(text, 40);
            text[length] = 0;
            char *name = pages + 2 * VARIABLES * PAGE + PAGE - length - 1;
            memcpy(name, text, length + 1);
            char *ours = kit_getenv(name), *theirs = plain(name);
            if (ours != theirs) {
                printf("'%s': %s, not %s\n", name, ours ? ours : "none", theirs ? theirs : "none");
                return 1;
            }
            found += theirs != NULL;
            missed += theirs == NULL;
        }
    }
    __environ_of_test = NULL;
    if (kit_getenv("A"))
        return 1;
    printf("%ld found, %ld missed\n", found, missed);
    return !(found > 1000 && missed > 1000);
}
