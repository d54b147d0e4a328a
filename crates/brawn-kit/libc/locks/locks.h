/*
 * What the locks share. Mutexes keep musl's own words and values, as waiting for conditions and mutexes of
 * all other kinds stay musl's; read-write locks and spin locks are the kit's throughout.
 */
#ifndef BRAWN_LOCKS_H
#define BRAWN_LOCKS_H

#include <stdint.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))
#define WEAK_ALIAS(old, new)                                                                                 \
    extern __typeof__(old) new __attribute__((weak, alias(#old), visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define BRAWN_EAGAIN 11
#define BRAWN_EBUSY 16
#define BRAWN_EINTR 4

/* musl's record of the process, whose size the overlay has checked. Its fourth byte is 0 while there has only been one thread,
 * 1 while there are more, and -1 when only one is left that may still have to see what the others wrote. */
HIDDEN extern const unsigned char __libc[104] __attribute__((aligned(8)));

static inline int one_thread(void) {
    return *(const volatile unsigned char *)(__libc + 3) == 0;
}

static inline void relax(void) {
#if defined(__x86_64__)
    __asm__ volatile("pause" : : : "memory");
#else
    /* `yield` takes no time on most. */
    __asm__ volatile("isb" : : : "memory");
#endif
}

static inline void relax_for(int pauses) {
    /* So that loops are not unrolled. */
    __asm__("" : "+r"(pauses));
    for (; pauses > 0; pauses--) {
        relax();
    }
}

/*
 * What is learned of looks before sleeping, in a count of those of no use: after so many of late there are none, until
 * `forgets` more have slept. They do not pay where what is waited for takes long, nor where who could end the wait needs this
 * very processor.
 */
enum { PATIENCE = 8 };

static inline int looks_pay(int wasted) {
    return wasted < PATIENCE;
}

/* The count with one more. */
static inline int looks_wasted(int wasted, int forgets) {
    return wasted < PATIENCE + forgets ? wasted + 1 : PATIENCE - 1;
}

static inline int load(const int *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Without the order of processors: for words that no other thread can be at. */
static inline void store(int *word, int value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static inline int exchange(int *word, int value) {
    return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL);
}

/* The value that was there; it is `old` when `new` took its place. */
static inline int compare_exchange(int *word, int old, int new) {
    __atomic_compare_exchange_n(word, &old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return old;
}

/* musl's: sleeps while *word is `value`; 0, EINTR, ETIMEDOUT, EINVAL. No point of cancellation. */
HIDDEN int __timedwait(volatile int *word, int value, clockid_t clock, const struct timespec *until,
                       int private);

/* Wakes up to `count` who sleep on a word, which may be no one's memory by now. */
static inline void wake(int *word, long count, int private) {
    const long operation = 1 | private; /* FUTEX_WAKE */
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(202L), "D"(word), "S"(operation), "d"(count)
                     : "rcx", "r11", "memory");
#else
    register long number __asm__("x8") = 98;
    register uintptr_t x0 __asm__("x0") = (uintptr_t)word;
    register long x1 __asm__("x1") = operation;
    register long x2 __asm__("x2") = count;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(number), "r"(x1), "r"(x2) : "memory");
#endif
}

#define FUTEX_PRIVATE 128

/*
 * Normal mutexes of this process, neither robust nor of inherited priority, are the kit's; recursive and checked ones while
 * there is one thread. All others go to musl's functions.
 */
struct mutex {
    int type;   /* NORMAL, RECURSIVE, CHECKED: musl's, with further bits for what is not the kit's */
    int lock;   /* 0, or HELD, with ASLEEP if an unlock must wake someone; the owner if not normal */
    int chain;  /* musl's count: not 0 while a condition variable is about to have threads sleep on `lock` */
    int wasted; /* how often looks before sleeping were of no use of late */
    int unused;
    int asleep;            /* who sleep on `lock` or are about to; how often an owner has it more than once */
    void *previous, *next; /* in musl's list of what the owner has */
};

enum { NORMAL, RECURSIVE, CHECKED };

/* Takes a mutex that is not normal, in a process of one thread. False if that is left to musl. */
HIDDEN int __brawn_mutex_own(struct mutex *mutex);
/* Lock and unlock for all mutexes that are not normal. */
HIDDEN int __brawn_mutex_lock_other(struct mutex *mutex);
HIDDEN int __brawn_mutex_unlock_other(struct mutex *mutex);

enum { HELD = BRAWN_EBUSY, ASLEEP = INT32_MIN };

/* Takes a mutex that was not free. */
HIDDEN int __brawn_mutex_wait(struct mutex *mutex, const struct timespec *until);

#endif
