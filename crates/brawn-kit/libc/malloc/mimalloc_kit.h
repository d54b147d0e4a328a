/* What the shims of mimalloc 2 and 3 have in common, before the sources: start, messages, options. Included
 * after the macros that only one of the two versions wants; mimalloc_heap.h comes after the sources. */
#ifndef BRAWN_MIMALLOC_KIT_H
#define BRAWN_MIMALLOC_KIT_H

#include "kit.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>

/* Huge pages are a knob of mimalloc. */
#define KERNEL_HUGE_PAGES kit_knob_is_on("allow_thp", true)

#include "gate.h"
#include "kernel_redirect.h"

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

/* Whose a block is: then only the owner's thread may work on it without the gate. */
enum kit_whose { KIT_OWN, KIT_FOREIGN, KIT_NOBODYS };

static inline int kit_take_key(pthread_key_t *key) {
    kit_start();
    *key = kit_key;
    return 0;
}
#define pthread_key_create(key, destructor) kit_take_key(key)

/* An option of mimalloc, by the name that it has in the environment: `mimalloc_purge_delay`. 1 if it is set.
 */
static int kit_find_option(const char *name, char *result, size_t size) {
    static const char prefix[] = "mimalloc_";
    char variable[64];
    size_t length = 0;
    for (; name[length] != 0 && length < sizeof variable - 1; length++) {
        const char letter = name[length];
        variable[length] = letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
    }
    variable[length] = 0;
    const char *value = kit_getenv(variable);
    size_t value_length = value != NULL ? strlen(value) : 0;
    if (value == NULL && strlen(name) >= sizeof prefix) {
        value = kit_knob(name + sizeof prefix - 1);
        while (value != NULL && value[value_length] != 0 && value[value_length] != ',') {
            value_length++;
        }
    }
    if (value == NULL || value_length >= size) {
        return 0;
    }
    memcpy(result, value, value_length);
    result[value_length] = 0;
    return 1;
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
