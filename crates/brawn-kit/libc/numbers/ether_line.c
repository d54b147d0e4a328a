/* There is no /etc/ethers, as in musl, in whose member these three are with ether_aton and ether_ntoa. */

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int ether_line(const char *line, void *address, char *name);
PUBLIC int ether_ntohost(char *name, const void *address);
PUBLIC int ether_hostton(const char *name, void *address);

int ether_line(const char *line, void *address, char *name) {
    (void)line, (void)address, (void)name;
    return -1;
}

int ether_ntohost(char *name, const void *address) {
    (void)name, (void)address;
    return -1;
}

int ether_hostton(const char *name, void *address) {
    (void)name, (void)address;
    return -1;
}
