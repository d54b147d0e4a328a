/* System calls that leave errno alone and are no points of cancellation. */
#ifndef BRAWN_SYSTEM_H
#define BRAWN_SYSTEM_H

#include <stdint.h>

#if defined(__x86_64__)
enum {
    SYS_READ = 0,
    SYS_WRITE = 1,
    SYS_CLOSE = 3,
    SYS_FSTAT = 5,
    SYS_LSEEK = 8,
    SYS_MMAP = 9,
    SYS_MUNMAP = 11,
    SYS_IOCTL = 16,
    SYS_READV = 19,
    SYS_WRITEV = 20,
    SYS_FCNTL = 72,
    SYS_OPENAT = 257,
};

struct system_stat {
    uint64_t device, inode, links;
    uint32_t mode, user, group, padding;
    uint64_t of_device;
    int64_t size, block_size, blocks, accessed[2], modified[2], changed[2], reserved[3];
};

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
enum {
    SYS_FCNTL = 25,
    SYS_IOCTL = 29,
    SYS_OPENAT = 56,
    SYS_CLOSE = 57,
    SYS_LSEEK = 62,
    SYS_READ = 63,
    SYS_WRITE = 64,
    SYS_READV = 65,
    SYS_WRITEV = 66,
    SYS_FSTAT = 80,
    SYS_MUNMAP = 215,
    SYS_MMAP = 222,
};

struct system_stat {
    uint64_t device, inode;
    uint32_t mode, links, user, group;
    uint64_t of_device, padding;
    int64_t size;
    int32_t block_size, padding2;
    int64_t blocks, accessed[2], modified[2], changed[2];
    uint32_t reserved[2];
};

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}
#else
#error "no system calls for this architecture"
#endif

#endif
