/* What the shims of mimalloc 2 and 3 have in common: start, thread exit, messages, options. Included before
 * the sources of mimalloc, after the macros that only one of the two versions wants. */
#ifndef BRAWN_MIMALLOC_KIT_H
#define BRAWN_MIMALLOC_KIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>

#include "gate.h"
#include "kernel_redirect.h"

/* Tells the kit's copy of an allocator from any other, even in a stripped executable. */
static const char kit_marker[] __attribute__((section(".rodata.brawn_kit"))) =
    "brawn-kit: " BRAWN_KIT_NAME " " BRAWN_KIT_VERSION;

/* gcc would call a helper of its runtime for this on x86-64 without popcnt; rustc does not bring that one. */
static inline int kit_popcount(unsigned long long bits) {
    bits -= (bits >> 1) & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return (int)((bits * 0x0101010101010101) >> 56);
}
#define __builtin_popcount(bits) kit_popcount(bits)
#define __builtin_popcountl(bits) kit_popcount(bits)
#define __builtin_popcountll(bits) kit_popcount(bits)

/* mimalloc must be initialised by the main thread, before there are others: version 2 corrupts its heap now
 * and then when several threads race to be the first to allocate. It is upstream's constructor under another
 * name; there is no destructor, because at exit the kernel takes everything back faster than an allocator
 * can, and other threads may still be running. */
#define MI_PRIM_HAS_PROCESS_ATTACH 1

void _mi_auto_process_init(void);

static __attribute__((constructor(101))) void kit_constructor(void) {
    _mi_auto_process_init();
}

/* The key whose destructor runs when a thread ends. */
static pthread_key_t kit_key;
static bool kit_started;

static void kit_start(void);
static void kit_thread_exit(void *heap);

static inline int kit_take_key(pthread_key_t *key) {
    kit_start();
    *key = kit_key;
    return 0;
}
#define pthread_key_create(key, destructor) kit_take_key(key)

/* An option of mimalloc, by the name that it has in the environment for those who let it look there. */
struct kit_option {
    const char *name;
    const char *value;
};

static inline const char *kit_find_option(const struct kit_option *options, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return options[i].value;
        }
    }
    return NULL;
}

/* Damage that mimalloc has noticed: no other way to go on is safe. */
static __attribute__((noreturn, noinline, cold)) void kit_abort(const char *what) {
    kernel_print(BRAWN_KIT_NAME ": ");
    kernel_print(what);
    kernel_print("\n");
    abort();
}

static void kit_error(int error, void *argument) {
    (void)argument;
    if (error == EFAULT) {
        kit_abort("the heap is corrupted");
    } else if (error == EAGAIN) {
        kit_abort("a block was freed twice");
    }
    /* What is left is memory that could not be had, and arguments that make no sense: the caller gets NULL.
     */
}

#endif
