/* A module of NSS that knows one name, for names.c. */
#include <errno.h>
#include <netdb.h>
#include <nss.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

enum nss_status _nss_probe_gethostbyname4_r(const char *name, struct gaih_addrtuple **found, char *buffer,
                                            size_t size, int *error, int *host_error, int32_t *ttl) {
    (void)ttl;
    struct gaih_addrtuple *const one = (struct gaih_addrtuple *)buffer;
    const size_t length = strlen(name) + 1;
    if (strcmp(name, "only-nss-knows") != 0) {
        *error = ENOENT;
        *host_error = HOST_NOT_FOUND;
        return NSS_STATUS_NOTFOUND;
    }
    if (size < sizeof *one + length) {
        *error = ERANGE;
        *host_error = NETDB_INTERNAL;
        return NSS_STATUS_TRYAGAIN;
    }
    memset(one, 0, sizeof *one);
    one->name = memcpy(buffer + sizeof *one, name, length);
    one->family = AF_INET;
    memcpy(one->addr, (const unsigned char[]){192, 0, 2, 1}, 4);
    *found = one;
    return NSS_STATUS_SUCCESS;
}
