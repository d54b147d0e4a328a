// getaddrinfo beside two name servers of its own, in namespaces of its own: search lists and dots, answers that are cut off,
// lost, refused, contradictory, and no answers at all; docs/explain/names.md is held to this.
#include "check.h"
#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

enum { A = 1, CNAME = 5, AAAA = 28, MANY = 40, PACKET = 4096, BROKEN = 150 };

// How many questions came by TCP, and how many in all.
static volatile struct {
    int by_tcp, questions;
} *seen;

static size_t put_name(unsigned char *to, const char *name) {
    unsigned char *at = to;
    while (*name != 0) {
        const size_t length = strcspn(name, ".");
        *at++ = (unsigned char)length;
        memcpy(at, name, length);
        at += length;
        name += length + (name[length] == '.');
    }
    *at++ = 0;
    return (size_t)(at - to);
}

static unsigned char *put_record(unsigned char *at, const char *name, int type, const void *data,
                                 size_t size) {
    at += put_name(at, name);
    const unsigned char head[10] = {
        0, (unsigned char)type, 0, 1, 0, 0, 0, 1, (unsigned char)(size >> 8), (unsigned char)size};
    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, data, size);
    return at + sizeof head + size;
}

static void pause_for(long milliseconds) {
    const struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}

// The answer to a question, by the name in it; 0 for none.
static size_t answer(unsigned char *packet, size_t size, int server, bool tcp, uint64_t *random) {
    char name[256] = "";
    size_t at = 12, length = 0;
    while (at < size && packet[at] != 0) {
        memcpy(name + length, packet + at + 1, packet[at]);
        length += packet[at];
        name[length++] = '.';
        at += packet[at] + 1u;
    }
    name[length != 0 ? length - 1 : 0] = 0;
    const int type = packet[at + 2];
    unsigned char *const answers = packet + at + 5, *end = answers;
    int count = 0, code = 0;
    const bool is_bad = strncmp(name, "bad", 3) == 0;
    static const unsigned char address[4] = {10, 0, 0, 1}, longer[16] = {0xfd, [15] = 1};
    if (strcmp(name, "plain.test") == 0 || strcmp(name, "host.two.test") == 0 ||
        strcmp(name, "db.prod.one.test") == 0 || strcmp(name, "dotted.name.test") == 0 || is_bad) {
        end = type == A ? put_record(end, name, A, address, 4) : put_record(end, name, AAAA, longer, 16);
        count = 1;
    } else if (strcmp(name, "lost.test") == 0) {
        if (type == AAAA)
            return 0;
        end = put_record(end, name, A, address, 4);
        count = 1;
    } else if (strcmp(name, "long.test") == 0) {
        if (type == A) {
            count = tcp ? MANY : 1;
            for (int i = 0; i < count; i++)
                end = put_record(end, name, A, (unsigned char[]){10, 1, 0, (unsigned char)i}, 4);
        }
    } else if (strncmp(name, "split", 5) == 0) {
        // Known to one of the two only; the other is faster, or slower.
        if ((name[5] == '1') != (server == 1)) {
            code = 3;
        } else {
            pause_for(name[6] == 's' ? 60 : 0);
            end = type == A ? put_record(end, name, A, address, 4) : put_record(end, name, AAAA, longer, 16);
            count = 1;
        }
        if (code == 3)
            pause_for(name[6] == 's' ? 0 : 60);
    } else if (strcmp(name, "refused.test") == 0 && server == 1) {
        code = 5;
    } else if (strcmp(name, "refused.test") == 0) {
        end = type == A ? put_record(end, name, A, address, 4) : put_record(end, name, AAAA, longer, 16);
        count = 1;
    } else if (strcmp(name, "alias.test") == 0) {
        char from[32] = "alias.test", to[32];
        for (int i = 0; i < 8; i++, count++) {
            unsigned char target[64];
            snprintf(to, sizeof to, "alias-%d.test", i);
            end = put_record(end, from, CNAME, target, put_name(target, to));
            strcpy(from, to);
        }
        end = type == A ? put_record(end, to, A, address, 4) : put_record(end, to, AAAA, longer, 16);
        count++;
    } else if (strcmp(name, "empty.one.test") != 0) {
        code = 3;
    }
    packet[2] = 0x81;
    packet[3] = (unsigned char)(0x80 | code);
    if (!tcp && strcmp(name, "long.test") == 0 && type == A)
        packet[2] |= 2;
    memset(packet + 6, 0, 6);
    packet[7] = (unsigned char)count;
    size = (size_t)(end - packet);
    if (is_bad) {
        // Anything but the number and the code, which would have it wait.
        for (unsigned changes = (unsigned)(random_next(random) % 6); changes != 0; changes--)
            packet[4 + random_next(random) % (size - 4)] = (unsigned char)random_next(random);
        if (random_next(random) % 4 == 0)
            size = 4 + random_next(random) % (size - 3);
    }
    return size;
}

// Serves until the parent ends.
__attribute__((noreturn)) static void serve(int server, int ready) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const struct sockaddr_in own = {.sin_family = AF_INET,
                                    .sin_port = htons(53),
                                    .sin_addr = {htonl(INADDR_LOOPBACK + (unsigned)server - 1)}};
    const int udp = socket(AF_INET, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(udp, (const struct sockaddr *)&own, sizeof own) != 0 ||
        bind(tcp, (const struct sockaddr *)&own, sizeof own) != 0 || listen(tcp, 8) != 0 ||
        write(ready, "r", 1) != 1)
        _exit(1);
    uint64_t random = (uint64_t)server;
    for (;;) {
        static unsigned char packet[PACKET];
        struct pollfd both[2] = {{.fd = udp, .events = POLLIN}, {.fd = tcp, .events = POLLIN}};
        if (poll(both, 2, -1) <= 0)
            continue;
        if (both[0].revents != 0) {
            struct sockaddr_in peer;
            socklen_t length = sizeof peer;
            const ssize_t got = recvfrom(udp, packet, 512, 0, (struct sockaddr *)&peer, &length);
            seen->questions++;
            const size_t size = got > 16 ? answer(packet, (size_t)got, server, false, &random) : 0;
            if (size != 0)
                sendto(udp, packet, size, 0, (struct sockaddr *)&peer, length);
        }
        if (both[1].revents != 0) {
            const int peer = accept(tcp, NULL, NULL);
            // The length and the question may come apart.
            ssize_t got = 0;
            while (got < 2 || got < 2 + packet[0] * 256 + packet[1]) {
                const ssize_t more = read(peer, packet + got, 512);
                if (more <= 0)
                    break;
                got += more;
            }
            seen->by_tcp++;
            const size_t size = got > 18 ? answer(packet + 2, (size_t)got - 2, server, true, &random) : 0;
            packet[0] = (unsigned char)(size >> 8);
            packet[1] = (unsigned char)size;
            // In two parts, as a network may.
            if (size != 0 && write(peer, packet, 3) == 3) {
                pause_for(5);
                if (write(peer, packet + 3, size - 1) < 0)
                    perror("write");
            }
            close(peer);
        }
    }
}

static int found, found_v4, found_code;
static char canonical[256];

static int look_up(const char *name, int family) {
    struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_CANONNAME},
                    *list = NULL;
    found = found_v4 = 0;
    found_code = getaddrinfo(name, NULL, &hints, &list);
    if (found_code != 0)
        return found_code;
    snprintf(canonical, sizeof canonical, "%s", list->ai_canonname != NULL ? list->ai_canonname : "");
    for (struct addrinfo *entry = list; entry != NULL; entry = entry->ai_next) {
        found++;
        found_v4 += entry->ai_family == AF_INET;
    }
    freeaddrinfo(list);
    return 0;
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#define RESOLV "/etc/resolv.conf"
#define ONE "nameserver 127.0.0.1\noptions timeout:1 attempts:2\n"
#define TWO "nameserver 127.0.0.2\n"

static void configure(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write %s", path);
}

// Namespaces with a loopback of their own and an empty /etc. False where that is not allowed.
static bool alone(void) {
    if (unshare(CLONE_NEWNS | CLONE_NEWNET) != 0) {
        char users[32], groups[32];
        snprintf(users, sizeof users, "0 %d 1", (int)getuid());
        snprintf(groups, sizeof groups, "0 %d 1", (int)getgid());
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) != 0)
            return false;
        configure("/proc/self/uid_map", users);
        configure("/proc/self/setgroups", "deny");
        configure("/proc/self/gid_map", groups);
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mount("etc", "/etc", "tmpfs", 0, NULL) != 0)
        return false;
    const int some = socket(AF_INET, SOCK_DGRAM, 0);
    struct ifreq request = {.ifr_name = "lo"};
    const bool up = ioctl(some, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags |= IFF_UP) != 0 &&
                    ioctl(some, SIOCSIFFLAGS, &request) == 0;
    close(some);
    return up;
}

int main(int argc, char **argv) {
    const int scale = scale_of(argc, argv);
    watchdog(120);
    if (!alone()) {
        fprintf(stderr, "skipped: no namespaces here (errno %d)\n", errno);
        return passed();
    }
    seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(seen != MAP_FAILED, "no memory");
    int ready[2];
    CHECK(pipe(ready) == 0, "no pipe");
    pid_t servers[2];
    for (int i = 0; i < 2; i++) {
        servers[i] = fork();
        CHECK(servers[i] >= 0, "fork failed");
        if (servers[i] == 0)
            serve(i + 1, ready[1]);
        char byte;
        CHECK(read(ready[0], &byte, 1) == 1, "server %d does not start", i + 1);
    }

    watched_step = "plain";
    configure("/etc/hosts",
              "127.0.0.1 localhost\n10.9.9.9 first.test listed # plain.test\n10.9.9.8 listed\n");
    configure(RESOLV, ONE);
    CHECK(look_up("plain.test", AF_UNSPEC) == 0 && found == 2 && found_v4 == 1, "plain: %d, %d", found_code,
          found);
    CHECK(look_up("plain.test.", AF_INET) == 0 && found == 1, "with a dot: %d", found_code);
    CHECK(look_up("nothing.test", AF_UNSPEC) == EAI_NONAME, "nothing: %d", found_code);
    int questions = seen->questions;
    CHECK(look_up("listed", AF_UNSPEC) == 0 && found == 2 && strcmp(canonical, "first.test") == 0,
          "hosts: %d, %d, %s", found_code, found, canonical);
    CHECK(seen->questions == questions, "a name in hosts was asked for");

    watched_step = "aliases";
    CHECK(look_up("alias.test", AF_UNSPEC) == 0 && found == 2, "aliases: %d", found_code);
    CHECK(strcmp(canonical, "alias-7.test") == 0, "the canonical name is %s", canonical);

    watched_step = "search";
    configure(RESOLV, ONE "search one.test two.test\n");
    CHECK(look_up("host", AF_UNSPEC) == 0 && found == 2 && strcmp(canonical, "host.two.test") == 0,
          "search: %d %s", found_code, canonical);
    questions = seen->questions;
    CHECK(look_up("db.prod", AF_INET) == EAI_NONAME && seen->questions == questions + 1,
          "one dot: %d, %d questions", found_code, seen->questions - questions);
    CHECK(look_up("dotted.name.test", AF_INET) == 0, "as it is: %d", found_code);
    // Without an address of the family the search ends.
    questions = seen->questions;
    CHECK(look_up("empty", AF_INET) != 0 && seen->questions == questions + 1, "empty: %d, %d questions",
          found_code, seen->questions - questions);
    configure(RESOLV, ONE "search one.test two.test\noptions ndots:2\n");
    CHECK(look_up("db.prod", AF_INET) == 0 && strcmp(canonical, "db.prod.one.test") == 0, "ndots: %d",
          found_code);

    watched_step = "long";
    configure(RESOLV, ONE);
    CHECK(look_up("long.test", AF_INET) == 0, "long: %d", found_code);
    // Before 1.2.4 there is no TCP.
    CHECK(found == (seen->by_tcp != 0 ? MANY : 1), "%d addresses, %d by TCP", found, seen->by_tcp);

    watched_step = "two servers";
    configure(RESOLV, ONE TWO);
    CHECK(look_up("split1f.test", AF_INET) == 0 && found == 1, "the faster knows it: %d", found_code);
    // The slower one still waits.
    pause_for(150);
    CHECK(look_up("split2f.test", AF_INET) == 0 && found == 1, "the second is faster: %d", found_code);
    pause_for(150);
    CHECK(look_up("split1s.test", AF_INET) == EAI_NONAME, "the faster knows nothing: %d", found_code);
    CHECK(look_up("refused.test", AF_INET) == 0, "one refuses: %d", found_code);

    watched_step = "broken packets";
    configure(RESOLV, ONE);
    for (int i = 0; i < BROKEN * scale; i++) {
        look_up(i % 2 != 0 ? "bad.test" : "bad.of.a.longer.name.test", i % 3 != 0 ? AF_INET : AF_INET6);
        CHECK(found <= 48, "%d addresses of a broken packet", found);
    }
    CHECK(look_up("plain.test", AF_UNSPEC) == 0 && found == 2, "after broken packets: %d", found_code);

    watched_step = "lost";
    const double start = seconds();
    CHECK(look_up("lost.test", AF_INET) == 0 && seconds() - start < 0.9, "only A: %d", found_code);
    CHECK(look_up("lost.test", AF_UNSPEC) == EAI_AGAIN, "AAAA is lost: %d", found_code);
    for (int i = 0; i < 2; i++) {
        kill(servers[i], SIGKILL);
        waitpid(servers[i], NULL, 0);
    }
    return passed();
}
