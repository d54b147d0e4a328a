// getaddrinfo on numeric hosts, and the lists of network interfaces: all of it allocated by libc and freed
// by its counterpart. Nothing here asks a name server.
#include "check.h"
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <pthread.h>

enum { ROUNDS = 15000, THREADS = 4 };

static const char *const hosts[] = {"127.0.0.1", "192.0.2.17",   "255.255.255.255",
                                    "::1",       "2001:db8::17", "::ffff:192.0.2.1"};
enum { HOSTS = sizeof hosts / sizeof *hosts };

static void look_up(const char *host) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_CANONNAME,
                             .ai_family = AF_UNSPEC};
    struct addrinfo *list = NULL;
    int code = getaddrinfo(host, "8080", &hints, &list);
    CHECK(code == 0, "getaddrinfo(\"%s\") answers %d", host, code);
    int count = 0;
    for (struct addrinfo *entry = list; entry != NULL; entry = entry->ai_next, count++) {
        char text[INET6_ADDRSTRLEN + 8] = "", port[8] = "";
        code = getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof text, port, sizeof port,
                           NI_NUMERICHOST | NI_NUMERICSERV);
        CHECK(code == 0, "getnameinfo answers %d", code);
        CHECK(strcmp(text, host) == 0 && strcmp(port, "8080") == 0, "%s came back as %s port %s", host, text,
              port);
    }
    CHECK(count >= 1, "getaddrinfo(\"%s\") gave no entry", host);
    CHECK(list->ai_canonname != NULL && strcmp(list->ai_canonname, host) == 0, "no canonical name for %s",
          host);
    freeaddrinfo(list);
}

static void no_address(void) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *list = NULL;
    int code = getaddrinfo("not.a.number.example", NULL, &hints, &list);
    CHECK(code == EAI_NONAME, "a name with AI_NUMERICHOST answers %d", code);
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    code = getaddrinfo(NULL, "80", &hints, &list);
    CHECK(code == 0 && list != NULL, "the passive address answers %d", code);
    freeaddrinfo(list);
}

static void interfaces(void) {
    struct ifaddrs *list = NULL;
    CHECK(getifaddrs(&list) == 0, "getifaddrs failed");
    for (struct ifaddrs *entry = list; entry != NULL; entry = entry->ifa_next)
        CHECK(entry->ifa_name != NULL && entry->ifa_name[0] != '\0', "an interface without a name");
    freeifaddrs(list);
    struct if_nameindex *names = if_nameindex();
    CHECK(names != NULL, "if_nameindex failed");
    for (struct if_nameindex *entry = names; entry->if_index != 0; entry++)
        CHECK(if_nametoindex(entry->if_name) == entry->if_index, "interface %s has two numbers",
              entry->if_name);
    if_freenameindex(names);
}

static void *look_up_often(void *argument) {
    int rounds = *(int *)argument;
    for (int i = 0; i < rounds; i++)
        look_up(hosts[i % HOSTS]);
    return NULL;
}

int main(int argc, char **argv) {
    int rounds = ROUNDS * scale_of(argc, argv), rounds_in_thread = rounds / 30;
    watchdog(120);
    watched_step = "numeric hosts";
    struct growth growth = {0};
    for (int i = 0; i < rounds; i++) {
        look_up(hosts[i % HOSTS]);
        growth_sample(&growth, i, rounds);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 512), "address lists");
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, look_up_often, &rounds_in_thread) == 0, "no thread");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    no_address();
    watched_step = "interfaces";
    if (option_of(argc, argv, "interfaces", 1))
        for (int i = 0; i < 20; i++)
            interfaces();
    return passed();
}
