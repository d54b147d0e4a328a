/* What every heap that is made of another allocator's sources needs: the marker by which `inspect` knows it,
 * the knobs that were baked into it, and an end for a program whose heap is damaged. */
#ifndef BRAWN_KIT_H
#define BRAWN_KIT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* as the allocators' sources do: mremap */
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "../bits.h"
#include "kernel.h"
#ifdef BRAWN_PRELOAD
#include "preload.h"
#endif

/* Tells the kit's copy of an allocator from any other, even in a stripped executable. */
static const char kit_marker[] __attribute__((section(".rodata.brawn_kit"))) =
    "brawn-kit: " BRAWN_KIT_NAME " " BRAWN_KIT_VERSION;

static inline void kit_keep_marker(void) {
    __asm__ volatile("" : : "r"(kit_marker));
}

/* Once in a program, if at all. */
#ifdef __clang__
#define KIT_COLD __attribute__((noinline, cold, unused, minsize))
#else
#define KIT_COLD __attribute__((noinline, cold, unused))
#endif

/* The knobs, as `name:value` with commas between them. The build of the kit fills in where the kit differs
 * from the allocator's own defaults; an overlay writes its own text over it (brawn-kit, src/knobs.rs), so
 * nothing may be compiled into code from what stands here. */
#ifdef BRAWN_KIT_KNOBS
#define KIT_KNOBS_SIZE 1024
#ifdef BRAWN_PRELOAD
#define KIT_KNOBS_SECTION "brawn_knobs" /* a name of its own, which a linker leaves a section of its own */
#else
#define KIT_KNOBS_SECTION ".rodata.brawn_knobs"
#endif
static const char kit_knobs[KIT_KNOBS_SIZE] __attribute__((section(KIT_KNOBS_SECTION), used)) =
    BRAWN_KIT_KNOBS;

static inline const char *kit_knobs_text(void) {
    const char *text = kit_knobs;
    __asm__("" : "+r"(text));
    return text;
}

/* What stands behind `name` and the separator, if `text` begins with them; or NULL. No function of the
 * library is called here and below: some programs would have it, in all its forms, for this alone, and a
 * program that does nothing would touch two more pages. */
static KIT_COLD const char *kit_after(const char *text, const char *name, char separator) {
    for (; *name != 0; name++, text++) {
        if (*text != *name) {
            return NULL;
        }
    }
    return *text == separator ? text + 1 : NULL;
}

/* The value of a knob, which ends with a comma or the text; NULL if it is not set. */
static KIT_COLD const char *kit_knob(const char *name) {
    for (const char *at = kit_knobs_text(); *at != 0;) {
        const char *const value = kit_after(at, name, ':');
        if (value != NULL) {
            return value;
        }
        while (*at != 0 && *at++ != ',') {
        }
    }
    return NULL;
}

/* The value of a knob that is a number, or what it is unless set. */
static KIT_COLD unsigned long kit_knob_number(const char *name, unsigned long unless_set) {
    const char *text = kit_knob(name);
    if (text == NULL) {
        return unless_set;
    }
    unsigned long number = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        number = number * 10 + (unsigned long)(*text - '0');
    }
    return number;
}

/* Whether a knob that is a switch is on. */
static KIT_COLD bool kit_knob_is_on(const char *name, bool unless_set) {
    const char *const text = kit_knob(name);
    return text == NULL ? unless_set
                        : kit_after(text, "true", ',') != NULL || kit_after(text, "true", 0) != NULL;
}

/* By its own name: `environ` may be a program's. */
extern char **__environ;

/* A variable of the environment, for allocators whose knobs may be overridden there: only where the knob
 * `environment` says so, and never in a program that runs with more rights than its user. */
static KIT_COLD char *kit_getenv(const char *name) {
    if (__environ != NULL && kit_knob_is_on("environment", false) && getauxval(AT_SECURE) == 0) {
        for (char **at = __environ; *at != NULL; at++) {
            const char *const value = kit_after(*at, name, '=');
            if (value != NULL) {
                return (char *)(uintptr_t)value;
            }
        }
    }
    return NULL;
}

#endif

/* Damage that an allocator has noticed: no other way to go on is safe. */
static KIT_COLD __attribute__((noreturn)) void kit_abort(const char *what) {
    kernel_print(BRAWN_KIT_NAME ": ");
    kernel_print(what);
    kernel_print("\n");
    abort();
}

#endif
