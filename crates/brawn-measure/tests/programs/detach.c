/* Leaves processes behind that no group and no session ties to it: detach serve, or detach. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void stay(void) {
    for (int file = 0; file < 3; file++)
        close(file);
    for (;;)
        pause();
}

int main(int count, char **words) {
    (void)words;
    if (!fork()) {
        setsid();
        if (!fork()) {
            signal(SIGTERM, SIG_IGN);
            setsid();
            if (!fork())
                stay();
            stay();
        }
        _exit(0);
    }
    wait(NULL);
    puts("ready");
    fflush(stdout);
    if (count > 1)
        for (;;)
            pause();
    return 0;
}
