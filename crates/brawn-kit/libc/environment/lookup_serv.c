/*
 * Names of services, which getservbyname and getaddrinfo look for in /etc/services. musl looks through it line by line; here the
 * name is looked for in some kilobytes at once, and only lines that have it are taken apart, as musl does it: a line is cut
 * after 127 bytes, and what is behind is the next.
 */
#include <stddef.h>
#include <stdint.h>

#include "../system.h"

#define PUBLIC __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

/* musl's, of all versions. */
struct service {
    uint16_t port;
    unsigned char protocol, kind;
};

PUBLIC unsigned long strtoul(const char *restrict text, char **restrict end, int base);
PUBLIC size_t strlen(const char *text);
PUBLIC char *strstr(const char *text, const char *part);
PUBLIC void *memmem(const void *text, size_t size, const void *part, size_t length);
PUBLIC void *memcpy(void *restrict to, const void *restrict from, size_t size);
PUBLIC void *memmove(void *to, const void *from, size_t size);
HIDDEN int *__errno_location(void);
HIDDEN int __lookup_serv(struct service *found, const char *name, int protocol, int kind, int flags);

enum { STREAM = 1, DATAGRAM = 2, TCP = 6, UDP = 17 };
enum { NO_NAME = -2, NO_SERVICE = -8, NO_SYSTEM = -11, NUMERIC = 0x400 };
enum { NO_ENTRY = 2, NO_ACCESS = 13, NO_FOLDER = 20, CURRENT_FOLDER = -100, CLOSE_ON_EXEC = 02000000 };
enum { MOST = 2, LINE = 127, ROOM = 4096 };

static int is_space(char c) {
    return c == ' ' || (unsigned char)(c - '\t') < 5;
}

static int begins(const char *text, const char *with) {
    while (*with && *text == *with) {
        text++, with++;
    }
    return !*with;
}

/* What one line says; how many are found with it. */
static int take(struct service *found, int count, const char *from, size_t size, const char *name,
                size_t length, int protocol) {
    char line[LINE + 2];
    memcpy(line, from, size);
    line[size] = 0;
    char *at;
    for (at = line; *at && *at != '#'; at++) {
    }
    if (*at) {
        at[0] = '\n';
        at[1] = 0;
    }
    for (at = line; (at = strstr(at, name)); at++) {
        if ((at == line || is_space(at[-1])) && (!at[length] || is_space(at[length]))) {
            break;
        }
    }
    if (!at) {
        return count;
    }
    for (at = line; *at && !is_space(*at); at++) {
    }
    char *end;
    const unsigned long port = strtoul(at, &end, 10);
    if (port > 65535 || end == at) {
        return count;
    }
    if (begins(end, "/udp") && protocol != TCP) {
        found[count++] = (struct service){(uint16_t)port, UDP, DATAGRAM};
    }
    if (begins(end, "/tcp") && protocol != UDP) {
        found[count++] = (struct service){(uint16_t)port, TCP, STREAM};
    }
    return count;
}

/* All lines of a text that have the name: `text` begins a line. */
static int search(struct service *found, int count, const char *text, size_t size, const char *name,
                  size_t length, int protocol) {
    const char *const end = text + size;
    const char *line = text, *hit = text;
    while (count < MOST && (hit = memmem(hit, (size_t)(end - hit), name, length))) {
        /* The line that the hit begins in. */
        for (const char *at = hit; at > line; at--) {
            if (at[-1] == '\n') {
                line = at;
                break;
            }
        }
        line += (size_t)(hit - line) / LINE * LINE;
        const char *behind = line;
        while (behind < end && behind - line < LINE && *behind++ != '\n') {
        }
        count = take(found, count, line, (size_t)(behind - line), name, length, protocol);
        line = hit = behind;
    }
    return count;
}

static __attribute__((noinline)) int from_file(struct service *found, const char *name, int protocol) {
    const long file = system_call(SYS_OPENAT, CURRENT_FOLDER, (long)"/etc/services", CLOSE_ON_EXEC, 0, 0, 0);
    if (file < 0) {
        *__errno_location() = (int)-file;
        return file == -NO_ENTRY || file == -NO_FOLDER || file == -NO_ACCESS ? NO_SERVICE : NO_SYSTEM;
    }
    const size_t length = strlen(name);
    char text[ROOM];
    size_t size = 0;
    int count = 0;
    while (count < MOST) {
        const long got = system_call(SYS_READ, file, (long)(text + size), (long)(ROOM - size), 0, 0, 0);
        if (got <= 0) {
            if (got < 0) {
                *__errno_location() = (int)-got;
            }
            count = search(found, count, text, size, name, length, protocol);
            break;
        }
        size += (size_t)got;
        /* Whole lines, or where there is no end of one, whole pieces of it. */
        size_t whole = size;
        while (whole && text[whole - 1] != '\n') {
            whole--;
        }
        if (!whole && size == ROOM) {
            whole = ROOM / LINE * LINE;
        }
        count = search(found, count, text, whole, name, length, protocol);
        size -= whole;
        memmove(text, text + whole, size);
    }
    system_call(SYS_CLOSE, file, 0, 0, 0, 0, 0);
    return count > 0 ? count : NO_SERVICE;
}

int __lookup_serv(struct service *found, const char *name, int protocol, int kind, int flags) {
    if (kind == STREAM || kind == DATAGRAM) {
        const int usual = kind == STREAM ? TCP : UDP;
        if (protocol != 0 && protocol != usual) {
            return NO_SERVICE;
        }
        protocol = usual;
    } else if (kind != 0) {
        if (name) {
            return NO_SERVICE;
        }
        found[0] = (struct service){0, (unsigned char)protocol, (unsigned char)kind};
        return 1;
    }
    char *end = "";
    unsigned long port = 0;
    if (name) {
        if (!*name) {
            return NO_SERVICE;
        }
        port = strtoul(name, &end, 10);
    }
    if (*end) {
        return flags & NUMERIC ? NO_NAME : from_file(found, name, protocol);
    }
    if (port > 65535) {
        return NO_SERVICE;
    }
    int count = 0;
    if (protocol != UDP) {
        found[count++] = (struct service){(uint16_t)port, TCP, STREAM};
    }
    if (protocol != TCP) {
        found[count++] = (struct service){(uint16_t)port, UDP, DATAGRAM};
    }
    return count;
}
