/*
 * The kit's __lookup_serv beside musl's, with files made by chance in the place of /etc/services, in a namespace. services
 * COUNT: so many questions. What it says where there are no namespaces is for the test to judge.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

struct service {
    uint16_t port;
    unsigned char protocol, kind;
};

int __lookup_serv(struct service *found, const char *name, int protocol, int kind, int flags);
int kit___lookup_serv(struct service *found, const char *name, int protocol, int kind, int flags);

static uint64_t state = 88172645463325252;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static const char *const names[] = {"http", "https", "a",        "ab", "www", "name-of-a-service",
                                    "80",   "+80",   "http/tcp", "#",  "tcp"};
static const char *const spaces[] = {" ", "\t", "  ", "\t\t", "\v", "", "\n"};

static const char *any(const char *const *of, size_t count) {
    return of[next() % count];
}

#define ANY(of) any(of, sizeof of / sizeof *of)

static int to_file(const char *path, const char *text, size_t size) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int written = file >= 0 && write(file, text, size) == (ssize_t)size;
    close(file);
    return written;
}

static size_t make(char *text) {
    static const char *const protocols[] = {"/tcp", "/udp", "/tcp", "/udp", "/sctp", "", "/tcpx"};
    char *at = text;
    for (unsigned lines = (unsigned)next() % (next() % 4 ? 20 : 400); lines; lines--) {
        at += sprintf(at, "%s%s%u%s", ANY(names), ANY(spaces),
                      (unsigned)(next() % (next() % 8 ? 65536 : 70000)), ANY(protocols));
        for (unsigned aliases = (unsigned)next() % (next() % 8 ? 3 : 60); aliases; aliases--) {
            at += sprintf(at, "%s%s", next() % 8 ? ANY(spaces) : "#", ANY(names));
        }
        if (next() % 64 == 0) {
            *at++ = 0;
        }
        if (next() % 16 == 0) {
            /* Cut after 127 bytes, the rest can be a line again. */
            for (unsigned more = (unsigned)next() % (next() % 2 ? 30 : 800); more; more--) {
                at += sprintf(at, "%s %u/tcp ", ANY(names), (unsigned)next() % 1000);
            }
        }
        *at++ = '\n';
    }
    return (size_t)(at - text - (at > text && next() % 4 == 0));
}

int main(int argc, char **argv) {
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    char users[32], groups[32];
    snprintf(users, sizeof users, "0 %d 1", (int)getuid());
    snprintf(groups, sizeof groups, "0 %d 1", (int)getgid());
    if (unshare(CLONE_NEWNS)) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || !to_file("/proc/self/uid_map", users, strlen(users)) ||
            !to_file("/proc/self/setgroups", "deny", 4) ||
            !to_file("/proc/self/gid_map", groups, strlen(groups))) {
            printf("no namespace: %s\n", strerror(errno));
            return 0;
        }
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("etc", "/etc", "tmpfs", 0, NULL)) {
        printf("no namespace: %s\n", strerror(errno));
        return 0;
    }
    static char text[1 << 22];
    long wrong = 0, found = 0;
    for (long i = 0; i < count; i++) {
        if (i % 50 == 0) {
            unlink("/etc/services");
            rmdir("/etc/services");
            if (i % 1000 == 50) {
                mkdir("/etc/services", 0700);
            } else if (i && !to_file("/etc/services", text, make(text))) {
                return 2;
            }
        }
        static const int protocols[] = {0, 0, 6, 17, 1, 132}, kinds[] = {0, 0, 1, 2, 3},
                         flags[] = {0, 0, 0, 0x400};
        static const char *const numbers[] = {"", "80", "65535", "65536", "-1", " 7", "80x", "0"};
        const char *const name = next() % 4 ? ANY(names) : next() % 2 ? ANY(numbers) : NULL;
        const int protocol = protocols[next() % 6], kind = kinds[next() % 5], flag = flags[next() % 4];
        struct service theirs[2] = {{0}}, ours[2] = {{0}};
        errno = 0;
        const int answer = __lookup_serv(theirs, name, protocol, kind, flag);
        const int error = errno;
        errno = 0;
        const int our_answer = kit___lookup_serv(ours, name, protocol, kind, flag);
        found += answer > 0;
        if (answer != our_answer || error != errno || (answer > 0 && memcmp(theirs, ours, sizeof ours))) {
            if (wrong++ < 10) {
                printf("%s, %d, %d, %x: %d errno %d, not %d errno %d\n", name ? name : "NULL", protocol, kind,
                       flag, our_answer, errno, answer, error);
            }
        }
    }
    printf("%ld of %ld found\n", found, count);
    return wrong != 0 || found < count / 20;
}
