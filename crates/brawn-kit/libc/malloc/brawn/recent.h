/* How many bytes may be kept for a program whose use of memory goes up and down: as many as it came back for
 * of late (from a low to what it had before), and never so many that, with what is in use, there are more
 * than at the recent peak. So a program that works file by file keeps its memory, one that only grows or only
 * shrinks has nothing more kept for it, and a peak is what it would be anyway. All of it decays with the
 * rounds of upkeep.
 *
 * Bounds that follow what is in use alone made a formatter map, fault in and unmap its memory for every
 * file; one that follows the peak alone kept all of a cache that a program had dropped (docs/log/heap.md). */
#ifndef BRAWN_RECENT_H
#define BRAWN_RECENT_H

#include <stdatomic.h>

#include "layout.h"

/* With each round of upkeep one part in so many of what is known of the past is forgotten. One part in so many of
 * the peak may be kept of what is dropped, and one may be kept beyond it. */
enum { RECENT_DECAY = 8, RECENT_DROPPED = 4, RECENT_ROOM = 8 };

/* A peak of so many bytes. */
#define RECENT_SMALL ((size_t)16 << 20)
/* Bytes kept of what was dropped. */
#define RECENT_MOST ((size_t)64 << 20)

/* Checks of the front end alone set it to 0: their bounds stay where they are. */
#ifndef RECENT_COUNTS
#define RECENT_COUNTS 1
#endif

#define RELAXED memory_order_relaxed

/* What went back to the system and was needed again a moment later, in bytes, less what a program may fault in at
 * `rate` bytes a millisecond: that costs it little. Nor does as much at once as comes in 100 ms. */
struct refaults {
    _Atomic(size_t) bytes;
    _Atomic(uint64_t) since; /* milliseconds */
};
enum { REFAULTS_BURST = 100 };

/* In bytes. Threads may overtake each other between reading one of these and writing another; then a figure
 * is a little off until the next change. */
static struct {
    _Alignas(64) _Atomic(size_t) in_use; /* in groups, and in mappings of large blocks */
    _Atomic(size_t) peak, low;           /* the low since the peak */
    _Atomic(size_t) most;                /* ever; the peak decays */
    _Atomic(size_t) swing;               /* what the program came back for */
} recent;

static inline size_t recent_read(_Atomic(size_t) *figure) {
    return atomic_load_explicit(figure, RELAXED);
}

static RARE void recent_grow(size_t bytes) {
    const size_t in_use = atomic_fetch_add_explicit(&recent.in_use, bytes, RELAXED) + bytes;
    const size_t peak = recent_read(&recent.peak), low = recent_read(&recent.low);
    const size_t top = in_use < peak ? in_use : peak;
    if (top > low && top - low > recent_read(&recent.swing)) {
        atomic_store_explicit(&recent.swing, top - low, RELAXED);
    }
    if (in_use > peak) {
        atomic_store_explicit(&recent.peak, in_use, RELAXED);
        atomic_store_explicit(&recent.low, in_use, RELAXED);
        if (in_use > recent_read(&recent.most)) {
            atomic_store_explicit(&recent.most, in_use, RELAXED);
        }
    }
}

static RARE void recent_shrink(size_t bytes) {
    const size_t in_use = atomic_fetch_sub_explicit(&recent.in_use, bytes, RELAXED) - bytes;
    if (in_use < recent_read(&recent.low)) {
        atomic_store_explicit(&recent.low, in_use, RELAXED);
    }
}

/* How far below this figure the use is. */
static RARE size_t recent_under(_Atomic(size_t) *figure) {
    const size_t top = recent_read(figure), in_use = recent_read(&recent.in_use);
    return !RECENT_COUNTS || in_use > top ? 0 : top - in_use;
}

static RARE size_t recent_below(void) {
    return recent_under(&recent.peak);
}

static RARE void refaults_add(struct refaults *refaults, size_t rate, size_t bytes, uint64_t time) {
    const uint64_t passed = time - atomic_exchange_explicit(&refaults->since, time, RELAXED);
    const size_t most = REFAULTS_BURST * rate + recent_read(&recent.peak);
    const size_t before = recent_read(&refaults->bytes);
    const size_t paid = passed < before / rate ? (size_t)passed * rate : before;
    const size_t sum = before - paid + bytes;
    atomic_store_explicit(&refaults->bytes, sum < most ? sum : most, RELAXED);
}

/* Those that cost the program time. */
static RARE size_t refaults_dear(struct refaults *refaults, size_t rate) {
    const size_t bytes = recent_read(&refaults->bytes);
    return bytes > REFAULTS_BURST * rate ? bytes - REFAULTS_BURST * rate : 0;
}

/* So much may be kept for a program that has shown that it needs it: a little beyond its recent peak, as no two
 * runs of pages are alike, but no more than `most` beyond it. */
static RARE size_t recent_room(size_t most) {
    const size_t part = recent_read(&recent.peak) / RECENT_ROOM;
    return recent_below() + (part < most ? part : most);
}

/* So much may be kept now. */
static RARE size_t recent_slack(void) {
    const size_t swing = recent_read(&recent.swing), below = recent_below();
    return below < swing ? below : swing;
}

/* What a program that has just dropped much may keep for a moment: it mostly takes it again, or ends. It is little
 * beside its recent peak, which it is below anyway, and nothing in a small program. */
static RARE size_t recent_dropped(void) {
    const size_t peak = recent_read(&recent.peak), below = recent_below();
    const size_t part = peak > RECENT_SMALL ? (peak - RECENT_SMALL) / RECENT_DROPPED : 0;
    const size_t most = part < RECENT_MOST ? part : RECENT_MOST;
    return below < most ? below : most;
}

/* One byte of so many that are in use. */
static RARE size_t recent_share(size_t share) {
    return RECENT_COUNTS ? recent_read(&recent.in_use) / share : 0;
}

static RARE void recent_decay(void) {
    const size_t in_use = recent_read(&recent.in_use);
    const size_t peak = recent_read(&recent.peak), low = recent_read(&recent.low);
    const size_t swing = recent_read(&recent.swing);
    if (peak > in_use) {
        atomic_store_explicit(&recent.peak, peak - (peak - in_use) / RECENT_DECAY, RELAXED);
    }
    if (low < in_use) {
        atomic_store_explicit(&recent.low, low + (in_use - low) / RECENT_DECAY, RELAXED);
    }
    atomic_store_explicit(&recent.swing, swing - swing / RECENT_DECAY, RELAXED);
}

#endif
