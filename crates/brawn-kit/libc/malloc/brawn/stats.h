/* The figures of brawn_malloc_info on the standard error stream when the program ends, for who asks for them
 * with `--knob brawn.stats=true`, or with BRAWN_MALLOC_STATS=1 where `--knob brawn.environment=true` lets the
 * environment have a say (and never in a program that runs with more rights than its user). All of it is
 * counted anyway, so until the end nothing is done for it, and then the knob is looked at once. */
#ifndef BRAWN_STATS_H
#define BRAWN_STATS_H

#include "family.h"

#ifdef BRAWN_KIT_KNOBS

static struct {
    char text[5120]; /* enough for every line at its longest; static, because a stack may be small */
    size_t length;
} stats;

/* Answers with what stands behind the text. */
static COLD const char *stats_text(const char *text) {
    for (; *text != 0; text++) {
        if (stats.length < sizeof stats.text) {
            stats.text[stats.length++] = *text;
        }
    }
    return text + 1;
}

static COLD void stats_number(uint64_t number) {
    char digits[21];
    char *first = digits + sizeof digits - 1;
    *first = 0;
    do {
        *--first = (char)('0' + number % 10);
    } while ((number /= 10) != 0);
    (void)stats_text(first);
}

static COLD const char *stats_line(const char *name, uint64_t number) {
    (void)stats_text("brawn.");
    const char *const next = stats_text(name);
    (void)stats_text(" ");
    stats_number(number);
    (void)stats_text("\n");
    return next;
}

static bool stats_wanted(void) {
    const char *const variable = kit_getenv("BRAWN_MALLOC_STATS");
    return variable != NULL ? variable[0] == '1' && variable[1] == 0 : kit_knob_is_on("stats", false);
}

/* The fields of brawn_malloc_info before those by class, in their order. */
static const char stats_names[] =
    "own_bytes\0shared_bytes\0shared_bound\0large_bytes\0refills\0refilled\0chains_taken\0chains_given\0"
    "medium_hits\0medium_misses\0large_hits\0large_misses\0returned\0upkeeps\0page_bytes";

static COLD void stats_print(void) {
    struct brawn_malloc_info info;
    (void)brawn_malloc_info(&info, sizeof info);
    stats.length = 0;
    const uint64_t *number = (const uint64_t *)(const void *)&info;
    for (const char *name = stats_names; name < stats_names + sizeof stats_names;) {
        name = stats_line(name, *number++);
    }
    for (unsigned class = 0; class < SIZES; class ++) {
        if (info.class_bytes[class] > 0) {
            (void)stats_text("brawn.class_bytes.");
            stats_number(class_bytes(class));
            (void)stats_text(" ");
            stats_number(info.class_bytes[class]);
            (void)stats_text("\n");
        }
    }
    (void)KERNEL_CALL((syscall)(SYS_write, 2, stats.text, stats.length));
}

static __attribute__((destructor)) COLD void stats_at_exit(void) {
    /* The one function that a linker keeps in a program that allocates nothing. */
    kit_keep_marker();
    if (unlikely(stats_wanted())) {
        stats_print();
    }
}

#endif
#endif
