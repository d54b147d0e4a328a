/* Whether a name is found that only a module of NSS knows. */
#define _GNU_SOURCE
#include <netdb.h>
#include <stdio.h>

int main(void) {
    struct addrinfo *found;
    const int error = getaddrinfo("only-nss-knows", NULL, NULL, &found);
    if (error != 0) {
        printf("%s\n", gai_strerror(error));
        return 1;
    }
    freeaddrinfo(found);
    return 0;
}
