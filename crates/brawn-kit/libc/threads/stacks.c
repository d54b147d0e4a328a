/*
 * Stacks of threads that have ended, kept for the next thread. musl maps each stack and unmaps it again; that, and touching
 * its pages anew, is most of what a short thread costs.
 *
 * These take the place of __mmap and __mprotect in musl's pthread_create and of __munmap in its pthread_join; the overlay
 * directs them here. A stack that was joined is no one's: the kernel has cleared its thread's state before pthread_join goes
 * on. A detached thread ends on its stack, with musl's lock of the list of threads in its hands, which the kernel gives back
 * when the thread is gone: who is given such a stack waits for that lock.
 *
 * A few are kept, and of each the upper KEPT bytes; the rest goes back to the kernel at once. What musl takes for zero, a
 * thread's own record, its thread-local variables and its keys, is cleared when a stack is handed out. The guard is set anew
 * if this thread has asked for another size than the last one with this stack, as far as that is remembered.
 *
 * A slot is taken and filled by one atomic exchange each, so no lock is held when another thread forks. What a child finds
 * between the two is lost to it: one slot at most for each thread that was in here.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define HIDDEN __attribute__((visibility("hidden")))

enum { SLOTS = 8, KEPT = 64 << 10, LARGEST = 9 << 20 };

HIDDEN void *__mmap(void *, size_t, int, int, int, off_t);
HIDDEN int __mprotect(void *, size_t, int);
HIDDEN int __munmap(void *, size_t);
HIDDEN _Noreturn void __unmapself(void *, size_t);
HIDDEN void __tl_lock(void);
HIDDEN void __tl_unlock(void);
HIDDEN extern size_t __pthread_tsd_size;
/* musl's record of the process, whose size the overlay has checked: 24 bytes into it is the size of thread-local storage. */
HIDDEN extern const unsigned char __libc[104] __attribute__((aligned(8)));

HIDDEN void *__brawn_stack_map(void *, size_t, int, int, int, off_t);
HIDDEN int __brawn_stack_protect(void *, size_t, int);
HIDDEN int __brawn_stack_unmap(void *, size_t);
HIDDEN _Noreturn void __brawn_stack_end(void *, size_t);

/*
 * A kept stack by its first and one-past-last address. `from` is 0 in a free slot, BUSY while a thread reads or writes it, and
 * marked as GIVEN when the stack has been handed out and its guard is still to be set, and as DETACHED while the thread that
 * put it there may still be on it.
 */
#define BUSY ((uintptr_t)2)
#define GIVEN ((uintptr_t)1)
#define DETACHED ((uintptr_t)4)
#define FLAGS ((uintptr_t)7)
static struct slot {
    uintptr_t from, to;
} slots[SLOTS];

/* What was last made writable of a stack, by its end: that, and in its low bits the size in units of 4 KiB. */
enum { WRITABLE = 64, UNIT = 4096 };
static uintptr_t writable[WRITABLE];

static uintptr_t *writable_to(uintptr_t end) {
    return &writable[(end / UNIT ^ end / UNIT / WRITABLE) % WRITABLE];
}

static inline uintptr_t remembered(uintptr_t end, size_t length) {
    return length / UNIT < UNIT ? end + length / UNIT : 0;
}

/* Where the slots end, told so that the loops are not unrolled. */
static inline struct slot *behind(struct slot *first) {
    struct slot *end = first + SLOTS;
    __asm__("" : "+r"(end));
    return end;
}

static int take(struct slot *slot, uintptr_t seen) {
    return __atomic_compare_exchange_n(&slot->from, &seen, BUSY, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void put(struct slot *slot, uintptr_t from) {
    __atomic_store_n(&slot->from, from, __ATOMIC_RELEASE);
}

static uintptr_t look(const struct slot *slot) {
    return __atomic_load_n(&slot->from, __ATOMIC_RELAXED);
}

static void wait_for_thread(uintptr_t from) {
    if (from & DETACHED) {
        __tl_lock();
        __tl_unlock();
    }
}

/* Unmaps a stack that is kept. Whether there was one. */
static int release(struct slot *slot) {
    const uintptr_t from = look(slot);
    if (!from || from == BUSY || from & GIVEN || !take(slot, from)) {
        return 0;
    }
    const uintptr_t base = from & ~FLAGS;
    const size_t size = slot->to - base;
    put(slot, 0);
    wait_for_thread(from);
    __munmap((void *)base, size);
    return 1;
}

/* Unmaps all that are kept. Whether there was any. */
static int empty(void) {
    int some = 0;
    for (struct slot *slot = slots, *end = behind(slots); slot < end; slot++) {
        some |= release(slot);
    }
    return some;
}

/* madvise, which musl does not have by a name of its own everywhere, and without errno. */
static long give_back(void *address, size_t length) {
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(28L), "D"(address), "S"(length), "d"((long)MADV_DONTNEED)
                     : "rcx", "r11", "memory");
    return result;
}

static void end_thread(void) {
    __asm__ volatile("syscall" : : "a"(60L), "D"(0L) : "rcx", "r11", "memory");
#else
    register long number __asm__("x8") = 233;
    register uintptr_t x0 __asm__("x0") = (uintptr_t)address;
    register size_t x1 __asm__("x1") = length;
    register long x2 __asm__("x2") = MADV_DONTNEED;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(number), "r"(x1), "r"(x2) : "memory");
    return (long)x0;
}

static void end_thread(void) {
    register long number __asm__("x8") = 93;
    register long x0 __asm__("x0") = 0;
    __asm__ volatile("svc 0" : : "r"(number), "r"(x0) : "memory");
#endif
}

void *__brawn_stack_map(void *where, size_t size, int protection, int flags, int file, off_t offset) {
    /* Without a guard it is mapped to be written at once, and musl sets no protection afterwards. */
    if (protection == PROT_NONE && size <= LARGEST) {
        for (struct slot *slot = slots, *end = behind(slots); slot < end; slot++) {
            const uintptr_t from = look(slot);
            if (!from || from == BUSY || from & GIVEN || !take(slot, from)) {
                continue;
            }
            const uintptr_t base = from & ~FLAGS;
            if (slot->to - base != size) {
                put(slot, from);
                continue;
            }
            wait_for_thread(from);
            const size_t storage = *(const size_t *)(__libc + 24) + __pthread_tsd_size;
            uint64_t *at = (uint64_t *)((slot->to - storage) & ~(uintptr_t)15);
            while ((uintptr_t)at < slot->to) {
                at[0] = 0;
                at[1] = 0;
                /* So that no call of memset comes of it, which the family does not need. */
                __asm__ volatile("" : : : "memory");
                at += 2;
            }
            put(slot, base | GIVEN);
            return (void *)base;
        }
    }
    void *mapped = __mmap(where, size, protection, flags, file, offset);
    if (mapped == MAP_FAILED && empty()) {
        mapped = __mmap(where, size, protection, flags, file, offset);
    }
    /* What is known is of another stack, which was there before. */
    __atomic_store_n(writable_to((uintptr_t)mapped + size), 0, __ATOMIC_RELAXED);
    return mapped;
}

int __brawn_stack_protect(void *address, size_t length, int protection) {
    const uintptr_t begin = (uintptr_t)address;
    uintptr_t *const known = writable_to(begin + length);
    for (struct slot *slot = slots, *end = behind(slots); slot < end; slot++) {
        const uintptr_t from = look(slot);
        if (!(from & GIVEN) || begin <= (from & ~GIVEN) || !take(slot, from)) {
            continue;
        }
        if (slot->to != begin + length || begin <= (from & ~GIVEN)) {
            put(slot, from);
            continue;
        }
        const uintptr_t base = from & ~GIVEN;
        put(slot, 0);
        if (__atomic_load_n(known, __ATOMIC_RELAXED) == remembered(begin + length, length)) {
            return 0;
        }
        if (__mprotect((void *)base, begin - base, PROT_NONE)) {
            return -1;
        }
        break;
    }
    const int error = __mprotect(address, length, protection);
    __atomic_store_n(known, error ? 0 : remembered(begin + length, length), __ATOMIC_RELAXED);
    return error;
}

/* Keeps a stack; false if there is no room. */
static int keep(void *base, size_t size, uintptr_t flag) {
    const uintptr_t from = (uintptr_t)base;
    if (size <= LARGEST) {
        for (struct slot *slot = slots, *end = behind(slots); slot < end; slot++) {
            if (look(slot) || !take(slot, 0)) {
                continue;
            }
            if (size > KEPT && give_back(base, size - KEPT)) {
                put(slot, 0);
                break;
            }
            __atomic_store_n(&slot->to, from + size, __ATOMIC_RELAXED);
            put(slot, from | flag);
            return 1;
        }
    }
    return 0;
}

int __brawn_stack_unmap(void *base, size_t size) {
    if (keep(base, size, 0)) {
        return 0;
    }
    /* One that is kept goes instead, if it has another size, so that sizes which no one asks for any more do not stay. */
    static unsigned turn;
    struct slot *const slot = slots + __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % SLOTS;
    const size_t other = __atomic_load_n(&slot->to, __ATOMIC_RELAXED) - (look(slot) & ~FLAGS);
    if (other != size && release(slot) && keep(base, size, 0)) {
        return 0;
    }
    return __munmap(base, size);
}

_Noreturn void __brawn_stack_end(void *base, size_t size) {
    /* What is given back may not be what this runs on. */
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0), end = (uintptr_t)base + size;
    if (end - here < KEPT - 4096 && keep(base, size, DETACHED)) {
        for (;;) {
            end_thread();
        }
    }
    __unmapself(base, size);
}
