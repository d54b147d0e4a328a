// The environment, options, paths, and what a process asks about itself.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <getopt.h>
#include <glob.h>
#include <libgen.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "rows.h"

enum { VARIABLES = 40 };

static char path[4096];

// As many as a login shell or a container has, with names of the usual lengths.
static void prepare(void) {
    clearenv();
    for (int i = 0; i < VARIABLES; i++) {
        char name[32], value[64];
        snprintf(name, sizeof name, "%s_%02d", i % 3 ? "SERVICE_PORT" : "PATH_OF", i);
        snprintf(value, sizeof value, "/usr/lib/some/place/%d", i * 1234567);
        if (setenv(name, value, 1) != 0)
            fail("setenv");
    }
}

static uint64_t value(const char *name) {
    const char *found = getenv(name);
    return found ? text(found) : 1;
}

static uint64_t numeric_name(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM},
                        *found;
        if (getaddrinfo("192.168.1.100", "8080", &hints, &found) != 0)
            fail("getaddrinfo");
        sum = mix(sum, written(found->ai_addr, found->ai_addrlen));
        char host[64], service[16];
        getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, service, sizeof service,
                    NI_NUMERICHOST | NI_NUMERICSERV);
        sum = mix(sum, text(host) ^ text(service));
        freeaddrinfo(found);
    }
    return sum;
}

// From /etc/hosts, or nowhere: what is not there has the same answer with every libc.
static uint64_t name_of_the_host(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
        if (getaddrinfo("localhost", NULL, &hints, &found) != 0)
            fail("getaddrinfo");
        sum = mix(sum, written(found->ai_addr, found->ai_addrlen));
        freeaddrinfo(found);
    }
    return sum;
}

static uint64_t name_of_an_address(uint64_t times) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        char host[256];
        if (getnameinfo((struct sockaddr *)&address, sizeof address, host, sizeof host, NULL, 0, 0) != 0)
            fail("getnameinfo");
        sum = mix(sum, text(host));
    }
    return sum;
}

static uint64_t port_of_a_service(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        struct servent *found = getservbyname("https", "tcp");
        sum = mix(sum, found != NULL ? (uint64_t)found->s_port : 0);
    }
    return sum;
}

static uint64_t options(uint64_t times) {
    static char *const WORDS[] = {"program", "-a", "-b", "value", "--long", "--other=value", "rest", NULL};
    static const struct option LONG[] = {
        {"long", no_argument, NULL, 'l'}, {"other", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        char *words[8];
        memcpy(words, WORDS, sizeof words);
        int option;
        optind = 0;
        while ((option = getopt_long(7, words, "ab:", LONG, NULL)) != -1)
            sum = mix(sum, (uint64_t)option + (optarg ? text(optarg) : 0));
        sum = mix(sum, (uint64_t)optind);
    }
    return sum;
}

static uint64_t short_options(uint64_t times) {
    static char *const WORDS[] = {"program", "-ac", "-b", "value", "rest", NULL};
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        char *words[6];
        memcpy(words, WORDS, sizeof words);
        int option;
        optind = 1;
        while ((option = getopt(5, words, "ab:c")) != -1)
            sum = mix(sum, (uint64_t)option + (optarg ? text(optarg) : 0));
    }
    return sum;
}

static uint64_t parts(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        strcpy(path, "/usr/share/doc/program/README");
        sum = mix(sum, text(basename(path)));
        sum = mix(sum, text(dirname(path)));
    }
    return sum;
}

static uint64_t matches(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        glob_t found;
        sum = mix(sum, (uint64_t)glob("/proc/self/stat*", 0, NULL, &found));
        for (size_t j = 0; j < found.gl_pathc; j++)
            sum = mix(sum, text(found.gl_pathv[j]));
        globfree(&found);
    }
    return sum;
}

static uint64_t system_name(void) {
    struct utsname name;
    return uname(&name) == 0 ? text(name.sysname) : 0;
}

static uint64_t masked(void) {
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    int first = sigprocmask(SIG_BLOCK, &set, &before);
    return (uint64_t)(first + sigprocmask(SIG_SETMASK, &before, NULL));
}

CALLS(getenv_first, value("PATH_OF_00"))
CALLS(getenv_last, value("PATH_OF_39"))
CALLS(getenv_missing, value("SERVICE_PORT"))
CALLS(call_secure_getenv, secure_getenv("SERVICE_PORT_20") != NULL)
CALLS(setenv_again, setenv("SERVICE_PORT_20", i % 2 ? "8080" : "80", 1))
CALLS(setenv_unsetenv, setenv("ANOTHER", "value", 1) + unsetenv("ANOTHER"))
CALLS(processors, sysconf(_SC_NPROCESSORS_ONLN) > 0)
CALLS(page_size, sysconf(_SC_PAGESIZE) > 0)
CALLS(call_getauxval, getauxval(AT_PAGESZ) > 0)
CALLS(call_getpid, getpid() > 0)
CALLS(call_getcwd, getcwd(path, sizeof path) == path)
CALLS(call_realpath, text(realpath("/usr/../usr/./bin/..", path)))
CALLS(call_isatty, isatty(100))
CALLS(call_strerror, text(strerror((int)(i % 16))))
CALLS(call_strsignal, text(strsignal(1 + (int)(i % 15))))
CALLS(call_sched_getcpu, sched_getcpu() >= 0)
CALLS(call_uname, system_name())
CALLS(call_sigprocmask, masked())

static const struct row ROWS[] = {
    {"getenv-first", getenv_first, 1},
    {"getenv-last-of-40", getenv_last, 1, QUICK},
    {"getenv-missing", getenv_missing, 1, QUICK},
    {"secure_getenv", call_secure_getenv, 1},
    {"setenv-again", setenv_again, 9},
    {"setenv-unsetenv", setenv_unsetenv, 9},
    {"sysconf-processors", processors, 1},
    {"sysconf-page-size", page_size, 1},
    {"getauxval", call_getauxval, 1},
    {"getpid", call_getpid, 1},
    {"sched_getcpu", call_sched_getcpu, 1, QUICK},
    {"uname", call_uname, 1},
    {"sigprocmask", call_sigprocmask, 1},
    {"isatty", call_isatty, 1},
    {"getcwd", call_getcwd, 1},
    {"realpath", call_realpath, 1},
    {"basename-dirname", parts, 1},
    {"getopt", short_options, 1},
    {"getopt_long", options, 1},
    {"glob", matches, 1},
    {"strerror", call_strerror, 16, DIFFERS},
    {"strsignal", call_strsignal, 16, DIFFERS},
    {"getaddrinfo-of-a-number", numeric_name, 1},
    {"getaddrinfo-of-localhost", name_of_the_host, 1},
    {"getnameinfo-of-127.0.0.1", name_of_an_address, 1},
    {"getservbyname", port_of_a_service, 1},
};

const struct group environment_group = GROUP("environment", prepare, ROWS);
