/* A server and its client: serve PORT MIB MODE | serve client PORT REQUESTS. Each request makes the server
   touch its memory once more; the answer is one byte. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in address(const char *port) {
    struct sockaddr_in place;
    memset(&place, 0, sizeof place);
    place.sin_family = AF_INET;
    place.sin_port = htons((unsigned short)atoi(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return place;
}

static int client(const char *port, int requests) {
    for (int i = 0; i < requests; i++) {
        struct sockaddr_in place = address(port);
        int connection = socket(AF_INET, SOCK_STREAM, 0);
        char byte = 'q';
        if (connect(connection, (struct sockaddr *)&place, sizeof place) ||
            write(connection, &byte, 1) != 1 || read(connection, &byte, 1) != 1) {
            fputs("no answer\n", stderr);
            return 1;
        }
        close(connection);
    }
    printf("served %d\nmetric requests %d\n", requests, requests);
    return 0;
}

static void touch(size_t bytes) {
    char *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        exit(3);
    memset(block, 1, bytes);
    munmap(block, bytes);
}

static void serve(int listener, size_t bytes, int crash) {
    for (;;) {
        char byte;
        int connection = accept(listener, NULL, NULL);
        if (connection < 0)
            exit(4);
        /* Anyone who only looks whether there is a server sends nothing. */
        if (read(connection, &byte, 1) == 1) {
            if (crash)
                abort();
            touch(bytes);
            if (write(connection, "a", 1) != 1)
                exit(5);
        }
        close(connection);
    }
}

static int serve_path(const char *path) {
    struct sockaddr_un place;
    memset(&place, 0, sizeof place);
    place.sun_family = AF_UNIX;
    strncpy(place.sun_path, path, sizeof place.sun_path - 1);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&place, sizeof place) || listen(listener, 64))
        return 6;
    serve(listener, 0, 0);
    return 0;
}

static void leave(int signal) {
    (void)signal;
    _exit(0);
}

static pid_t worker;

static void stop_worker(int signal) {
    (void)signal;
    kill(worker, SIGTERM);
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    if (!strcmp(argv[1], "client"))
        return client(argv[2], atoi(argv[3]));
    const char *mode = argv[3];
    size_t bytes = (size_t)atoi(argv[2]) << 20;
    if (argv[1][0] == '/')
        return serve_path(argv[1]);
    struct sockaddr_in place = address(argv[1]);
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (!strcmp(mode, "refuse")) {
        fputs("no configuration\n", stderr);
        return 7;
    }
    if (!strcmp(mode, "silent"))
        for (;;)
            pause();
    if (bind(listener, (struct sockaddr *)&place, sizeof place) || listen(listener, 64))
        return 6;
    puts("ready to serve");
    fflush(stdout);
    if (!strcmp(mode, "deaf"))
        signal(SIGTERM, SIG_IGN);
    if (!strcmp(mode, "polite"))
        signal(SIGTERM, leave);
    if (!strcmp(mode, "worker")) {
        worker = fork();
        if (worker == 0)
            serve(listener, bytes, 0);
        signal(SIGTERM, stop_worker);
        while (waitpid(worker, NULL, 0) != worker)
            ;
        return 0;
    }
    serve(listener, bytes, !strcmp(mode, "crash"));
}
