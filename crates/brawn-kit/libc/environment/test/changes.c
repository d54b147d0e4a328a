/*
 * The kit's putenv and unsetenv, as kit_putenv and kit_unsetenv, beside plain ones that do the same to a second list: the
 * variables and their order, the answers, errno, and what is told to musl's setenv. Variables end where a page does.
 */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int kit_putenv(char *variable);
int kit_unsetenv(const char *name);
int kit___putenv(char *variable, size_t length, char *to_free);
void kit___env_rm_add(char *old, char *new);

char **__environ_of_test;

enum { PAGE = 4096, MOST = 64, PLACES = 400 };

static uint64_t state = 88172645463325252;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* What the kit tells, and what it should. */
static uintptr_t told, expected;

static void tell(uintptr_t *to, const char *old, const char *new) {
    *to = (*to * 9 + (uintptr_t)old) * 9 + (uintptr_t)new + 1;
}

void kit___env_rm_add(char *old, char *new) {
    tell(&told, old, new);
}

static char *list[MOST * 2];
static size_t count;

static int same_name(const char *a, const char *b, size_t length) {
    return !strncmp(a, b, length) && b[length] == '=';
}

static int plain_put(char *variable, char *to_free) {
    size_t length = strcspn(variable, "=");
    for (size_t i = 0; i < count; i++)
        if (same_name(variable, list[i], length)) {
            tell(&expected, list[i], to_free);
            list[i] = variable;
            return 0;
        }
    if (to_free)
        tell(&expected, NULL, to_free);
    list[count++] = variable;
    return 0;
}

static int plain_unset(const char *name) {
    size_t length = strcspn(name, "="), kept = 0;
    if (!length || name[length]) {
        errno = EINVAL;
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        if (same_name(name, list[i], length))
            tell(&expected, list[i], NULL);
        else
            list[kept++] = list[i];
    count = kept;
    return 0;
}

static char *place(size_t i) {
    static char *pages;
    if (!pages) {
        pages = mmap(NULL, 2 * PLACES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (size_t j = 0; j < PLACES; j++)
            mprotect(pages + 2 * j * PAGE, PAGE, PROT_READ | PROT_WRITE);
    }
    return pages + 2 * (i % PLACES) * PAGE;
}

/* Few names, so that they meet again; some with no '=', some empty. */
static char *make(size_t i, int with_value) {
    static const char *const NAMES[] = {"A",
                                        "AB",
                                        "PATH",
                                        "PATH_OF_",
                                        "PATH_OF",
                                        "SERVICE_PORT_01",
                                        "SERVICE_PORT_02",
                                        "SERVICE_PORT_0",
                                        "",
                                        "ABCDEFGH",
                                        "ABCDEFG",
                                        "\377\200"};
    char text[64];
    const int length = snprintf(text, sizeof text, "%s%s", NAMES[next() % (sizeof NAMES / sizeof *NAMES)],
                                with_value    ? "=v"
                                : next() % 16 ? ""
                                              : "=");
    char *to = place(i) + PAGE - length - 1;
    memcpy(to, text, (size_t)length + 1);
    return to;
}

int main(void) {
    long found = 0;
    for (int round = 0; round < 3000; round++) {
        char *first[4] = {place(PLACES - 1), place(PLACES - 2), NULL};
        strcpy(first[0], "AB=1");
        strcpy(first[1], "AB=2");
        count = 0;
        __environ_of_test = round % 3 ? NULL : first;
        if (__environ_of_test) {
            list[count++] = first[0];
            list[count++] = first[1];
        }
        for (size_t i = 0; i < MOST; i++) {
            const size_t before = count;
            char *variable = make(i, next() % 4 != 0);
            int ours, theirs, our_error, their_error;
            errno = 0;
            switch (next() % 3) {
            case 0:
                ours = kit_unsetenv(variable), our_error = errno, errno = 0;
                theirs = plain_unset(variable), their_error = errno;
                break;
            case 1:
                ours = kit_putenv(variable), our_error = errno, errno = 0;
                theirs = *variable == '=' || !strchr(variable, '=') ? plain_unset(variable)
                                                                    : plain_put(variable, NULL);
                their_error = errno;
                break;
            default:
                if (*variable == '=' || !strchr(variable, '='))
                    continue;
                ours = kit___putenv(variable, strcspn(variable, "="), variable), our_error = errno, errno = 0;
                theirs = plain_put(variable, variable), their_error = errno;
            }
            found += count <= before;
            size_t there = 0;
            while (__environ_of_test && __environ_of_test[there])
                there++;
            if (ours != theirs || our_error != their_error || told != expected || there != count ||
                (count && memcmp(__environ_of_test, list, count * sizeof *list))) {
                printf("%s: %d and %d, errors %d and %d, %zu and %zu variables\n", variable, ours, theirs,
                       our_error, their_error, there, count);
                return 1;
            }
        }
    }
    printf("%ld found, %zu left\n", found, count);
    return found < 1000;
}
