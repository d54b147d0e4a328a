/* jemalloc as the heap of a libc.a: all of its sources in this one translation unit. What its configure
 * script would find out stands in jemalloc/. See kit.h, cores.h and family.h. */

#include "kit.h"

#include "cores.h"

/* Every header that the sources want, before the system calls get other names. */
#include <alloca.h>
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <strings.h>
#include <sys/param.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

#include "futex_pthread.h"

/* Where the system hands them out unasked, an empty program has 6 MiB of them, since jemalloc maps no less than
 * 2 MiB: so mappings refuse them as they are made, jemalloc's own records' as well, which its option leaves out. */
#define KERNEL_HUGE_PAGES (opt_thp != thp_mode_never || init_system_thp_mode != system_thp_mode_always)
#include "kernel_redirect.h"

/* To refuse them is left to kernel_map. */
static int kit_madvise(void *start, size_t size, int advice) {
    return advice == MADV_NOHUGEPAGE ? 0 : madvise(start, size, advice);
}
#undef madvise
#define madvise(...) kit_madvise(__VA_ARGS__)

/* jemalloc sizes its arenas by the processors there are. */
static long kit_sysconf(int name) {
    return name == _SC_NPROCESSORS_ONLN ? (long)cores_usable() : (sysconf)(name);
}
#define sysconf(name) kit_sysconf(name)

/* Messages name an error by nothing: musl's table of texts would come along. */
#define strerror_r(error, text, size) (*(text) = 0)
/* Nothing is printed at exit. */
#define atexit(function) ((void)(function), 0)
#define getenv(name) kit_getenv(name)

#undef CPU_COUNT

#include "jemalloc/internal/jemalloc_preamble.h"

#include "jemalloc/internal/jemalloc_internal_includes.h"

/* A thread whose arena cannot be made, because memory has run out, goes on with the first: jemalloc would go
 * on with none, and crash. */
#define arena_choose_hard kit_arena_choose_hard
#include "src/jemalloc.c"
#undef arena_choose_hard

arena_t *arena_choose_hard(tsd_t *tsd, bool internal) {
    arena_t *const arena = kit_arena_choose_hard(tsd, internal);
    return arena != NULL ? arena : arena_get(tsd_tsdn(tsd), 0, false);
}

/* Messages are for those who set options in the environment; a program whose memory has run out hears of that
 * from malloc. */
static void kit_message(void *argument, const char *text) {
    (void)argument;
    if (kit_knob_is_on("environment", false)) {
        kernel_print(text);
    }
}

/* The knobs are jemalloc's options, in its own syntax, but for the one that it does not know. */
static const char *kit_options(void) {
    static char options[KIT_KNOBS_SIZE];
    static const char environment[] = "environment:";
    char *end = options;
    kit_keep_marker();
    je_malloc_message = kit_message;
    for (const char *at = kit_knobs_text(); *at != 0;) {
        const bool ours = memcmp(at, environment, sizeof environment - 1) == 0;
        if (!ours && end != options) {
            *end++ = ',';
        }
        for (; *at != 0 && *at != ','; at++) {
            if (!ours) {
                *end++ = *at;
            }
        }
        at += *at == ',';
    }
    *end = 0;
    return options;
}

#define config_malloc_conf kit_options()
#include "src/conf.c"
#undef config_malloc_conf

/* Blocks with mappings of their own grow without a copy, and leave nothing behind when they are freed: the sizes
 * from here to oversize_threshold, too, as long as the program frees them seldom. */
#define KIT_OWN_LEAST ((size_t)256 << 10)
/* What it may free of them at once, and in a millisecond: 0.1 to 0.3 us/KiB to map, clear and unmap are at most 1 %
 * of it. */
#define KIT_OWN_FREED_AT_ONCE ((size_t)8 << 20)
#define KIT_OWN_FREED_IN_MS ((size_t)32 << 10)
/* A block that grows gets so much of its size besides. */
#define KIT_OWN_AHEAD 8
/* The kernel counts mappings, if it does not join them. */
#define KIT_OWN_MOST 4096

static atomic_zu_t kit_own_least = ATOMIC_INIT(KIT_OWN_LEAST);
static atomic_zu_t kit_own_count;

static arena_t *kit_arena_choose(tsd_t *tsd, arena_t *arena, size_t size) {
    if (arena == NULL && size >= atomic_load_zu(&kit_own_least, ATOMIC_RELAXED) && huge_arena_ind != 0 &&
        atomic_load_zu(&kit_own_count, ATOMIC_RELAXED) < KIT_OWN_MOST) {
        arena_t *const threads = arena_choose(tsd, NULL);
        if (threads != NULL && arena_is_auto(threads)) {
            arena_t *const own = arena_choose_huge(tsd);
            /* Where there is no room for one more arena, others let go of theirs: pa_alloc. */
            return own != NULL ? own : threads;
        }
    }
    return arena_choose_maybe_huge(tsd, arena, size);
}
#define arena_choose_maybe_huge kit_arena_choose
#include "src/arena.c"
#include "src/background_thread.c"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older ones say that they do not know it */
#endif

/* Every start touches nearly all of these pages of the block that jemalloc's own records lie in, one after
 * another: with one system call for all of them it takes half the time. */
#define KIT_FIRST_RECORDS ((size_t)96 << 10)

static void *kit_base_map(void *address, size_t size, size_t alignment, bool *zero, bool *commit) {
    static bool later;
    void *const block = extent_alloc_mmap(address, size, alignment, zero, commit);
    if (block != NULL && !later && size >= KIT_FIRST_RECORDS) {
        later = true;
        (void)madvise(block, KIT_FIRST_RECORDS, MADV_POPULATE_WRITE);
    }
    return block;
}
#define extent_alloc_mmap kit_base_map
#include "src/base.c"
#undef extent_alloc_mmap

#include "src/bin.c"
#include "src/bin_info.c"
#include "src/bitmap.c"
#include "src/buf_writer.c"
#include "src/cache_bin.c"
#include "src/ckh.c"
#include "src/counter.c"
#include "src/ctl.c"
#include "src/decay.c"
#include "src/div.c"
#include "src/ecache.c"
#include "src/edata.c"
#include "src/edata_cache.c"
#include "src/ehooks.c"
#include "src/emap.c"
#include "src/eset.c"
#include "src/exp_grow.c"
#include "src/extent.c"
#include "src/extent_dss.c"
#include "src/extent_mmap.c"
#include "src/fxp.c"
#include "src/hook.c"
#include "src/hpa.c"
#include "src/hpa_central.c"
#include "src/hpa_hooks.c"
#include "src/hpa_utils.c"
#include "src/hpdata.c"
#include "src/inspect.c"
#define large_ralloc kit_large_ralloc
#include "src/large.c"
#undef large_ralloc
#undef arena_choose_maybe_huge
#include "src/log.c"
#include "src/malloc_io.c"
#include "src/mutex.c"
#include "src/nstime.c"

/* Whether no later extent belongs to the same mapping. One that does would be joined with what comes to lie
 * before it, even with another arena's: only the first extent of a mapping is safe from that. */
static bool kit_ends_mapping(tsdn_t *tsdn, pac_t *pages, edata_t *extent) {
    EMAP_DECLARE_RTREE_CTX;
    rtree_t *const map = &pages->emap->rtree;
    rtree_leaf_elm_t *const next =
        rtree_leaf_elm_lookup(tsdn, map, rtree_ctx, (uintptr_t)edata_past_get(extent), false, false);
    if (next == NULL) {
        return true;
    }
    const rtree_contents_t contents = rtree_leaf_elm_read(tsdn, map, next, false);
    return contents.edata == NULL || contents.metadata.is_head;
}

/* An arena keeps the address space whose pages it gave back, and no other arena gets at it. Before an
 * allocation fails, each lets go the ends of its mappings, or all of them: it counts against the limit of the
 * process. */
static void kit_let_go(tsdn_t *tsdn) {
    const unsigned count = narenas_total_get();
    for (unsigned at = 0; at < count; at++) {
        arena_t *const arena = arena_get(tsdn, at, false);
        if (arena == NULL) {
            continue;
        }
        arena_decay(tsdn, arena, false, true);
        pac_t *const pages = &arena->pa_shard.pac;
        ecache_t *const retained = &pages->ecache_retained;
        edata_list_inactive_t ends;
        edata_list_inactive_init(&ends);
        malloc_mutex_lock(tsdn, &retained->mtx);
        edata_t *next;
        for (edata_t *extent = edata_list_inactive_first(&retained->eset.lru); extent != NULL;
             extent = next) {
            next = edata_list_inactive_next(&retained->eset.lru, extent);
            if (kit_ends_mapping(tsdn, pages, extent)) {
                eset_remove(&retained->eset, extent);
                extent_deregister(tsdn, pages, extent);
                edata_list_inactive_append(&ends, extent);
            }
        }
        malloc_mutex_unlock(tsdn, &retained->mtx);
        for (edata_t *extent; (extent = edata_list_inactive_first(&ends)) != NULL;) {
            edata_list_inactive_remove(&ends, extent);
            extent_destroy_wrapper(tsdn, pages, pac_ehooks_get(pages), extent);
        }
    }
}

#define pa_alloc kit_pa_alloc
#define pa_expand kit_pa_expand
#define pa_shrink kit_pa_shrink
#define pa_dalloc kit_pa_dalloc
#include "src/pa.c"
#undef pa_alloc
#undef pa_expand
#undef pa_shrink
#undef pa_dalloc

/* Blocks that jemalloc gives back to the system as soon as they are freed (oversize_threshold) have mappings of
 * their own, as glibc's have. What grows takes its pages along: to copy them would need as many new ones, clear
 * those, and throw the old ones away. */
static bool kit_is_own(const edata_t *extent) {
    const unsigned arena = edata_arena_ind_get(extent);
    return arena != 0 && arena == huge_arena_ind;
}

static edata_t *kit_alloc_own(tsdn_t *tsdn, pa_shard_t *shard, size_t size, size_t alignment, szind_t class,
                              bool zero) {
    bool commit = true;
    pac_t *const pages = &shard->pac;
    edata_t *const extent =
        extent_alloc_wrapper(tsdn, pages, pac_ehooks_get(pages), NULL, size, alignment, zero, &commit, false);
    if (extent != NULL) {
        (void)atomic_fetch_add_zu(&kit_own_count, 1, ATOMIC_RELAXED);
        pa_nactive_add(shard, size >> LG_PAGE);
        edata_szind_set(extent, class);
        emap_remap(tsdn, shard->emap, extent, class, false);
    }
    return extent;
}

static edata_t *kit_alloc(tsdn_t *tsdn, pa_shard_t *shard, size_t size, size_t alignment, bool slab,
                          szind_t class, bool zero, bool guarded, bool *work_left) {
    if (shard->ind != 0 && shard->ind == huge_arena_ind && !slab && !guarded) {
        return kit_alloc_own(tsdn, shard, size, alignment, class, zero);
    }
    return kit_pa_alloc(tsdn, shard, size, alignment, slab, class, zero, guarded, work_left);
}

edata_t *pa_alloc(tsdn_t *tsdn, pa_shard_t *shard, size_t size, size_t alignment, bool slab, szind_t class,
                  bool zero, bool guarded, bool *work_left) {
    edata_t *pages = kit_alloc(tsdn, shard, size, alignment, slab, class, zero, guarded, work_left);
    if (pages == NULL) {
        /* One at a time, or what one lets go another takes for an arena that needs a part of it. Fork knows
         * this lock, and all that are taken below come after it. */
        malloc_mutex_lock(tsdn, &arenas_lock);
        kit_let_go(tsdn);
        pages = kit_alloc(tsdn, shard, size, alignment, slab, class, zero, guarded, work_left);
        malloc_mutex_unlock(tsdn, &arenas_lock);
    }
    return pages;
}

bool pa_expand(tsdn_t *tsdn, pa_shard_t *shard, edata_t *extent, size_t old_size, size_t size, szind_t class,
               bool zero, bool *work_left) {
    return kit_is_own(extent) || kit_pa_expand(tsdn, shard, extent, old_size, size, class, zero, work_left);
}

bool pa_shrink(tsdn_t *tsdn, pa_shard_t *shard, edata_t *extent, size_t old_size, size_t size, szind_t class,
               bool *work_left) {
    if (!kit_is_own(extent)) {
        return kit_pa_shrink(tsdn, shard, extent, old_size, size, class, work_left);
    }
    EMAP_DECLARE_RTREE_CTX;
    char *const base = edata_base_get(extent);
    pac_t *const pages = &shard->pac;
    /* The map of extents may have no place yet for what will be the last page. */
    if (rtree_leaf_elm_lookup(tsdn, &shard->emap->rtree, rtree_ctx, (uintptr_t)base + size - PAGE, false,
                              true) == NULL) {
        return true;
    }
    extent_deregister(tsdn, pages, extent);
    const bool stays = munmap(base + size, old_size - size) != 0;
    if (!stays) {
        edata_size_set(extent, size);
        edata_szind_set(extent, class);
        pa_nactive_sub(shard, (old_size - size) >> LG_PAGE);
    }
    extent_reregister(tsdn, pages, extent);
    emap_remap(tsdn, shard->emap, extent, edata_szind_get(extent), false);
    return stays;
}

/* Ends an extent whose memory is gone. */
static void kit_end_own(tsdn_t *tsdn, pa_shard_t *shard, edata_t *extent) {
    (void)atomic_fetch_sub_zu(&kit_own_count, 1, ATOMIC_RELAXED);
    pa_nactive_sub(shard, edata_size_get(extent) >> LG_PAGE);
    edata_cache_put(tsdn, shard->pac.edata_cache, extent);
}

/* Blocks of a size that the program frees all the time would cost it more than they save: from now on jemalloc
 * keeps their pages for the next one. */
static void kit_own_freed(size_t size) {
    static atomic_zu_t freed, since;
    if (size >= opt_oversize_threshold) {
        return;
    }
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    const size_t now = (size_t)time.tv_sec * 1000 + (size_t)time.tv_nsec / 1000000;
    size_t begun = atomic_load_zu(&since, ATOMIC_RELAXED);
    if (begun == 0) {
        begun = now;
        atomic_store_zu(&since, now, ATOMIC_RELAXED);
    }
    const size_t sum = atomic_fetch_add_zu(&freed, size, ATOMIC_RELAXED) + size;
    if (sum / KIT_OWN_FREED_IN_MS <= now - begun + KIT_OWN_FREED_AT_ONCE / KIT_OWN_FREED_IN_MS) {
        return;
    }
    if (size >= atomic_load_zu(&kit_own_least, ATOMIC_RELAXED)) {
        atomic_store_zu(&kit_own_least, size + 1, ATOMIC_RELAXED);
    }
    atomic_store_zu(&freed, 0, ATOMIC_RELAXED);
    atomic_store_zu(&since, now, ATOMIC_RELAXED);
}

void pa_dalloc(tsdn_t *tsdn, pa_shard_t *shard, edata_t *extent, bool *work_left) {
    if (!kit_is_own(extent)) {
        kit_pa_dalloc(tsdn, shard, extent, work_left);
        return;
    }
    void *const base = edata_base_get(extent);
    /* Others may get the place at once. */
    extent_deregister(tsdn, &shard->pac, extent);
    if (munmap(base, edata_size_get(extent)) != 0) {
        (void)madvise(base, edata_size_get(extent), MADV_DONTNEED);
    }
    kit_own_freed(edata_usize_get(extent));
    kit_end_own(tsdn, shard, extent);
}

void *large_ralloc(tsdn_t *tsdn, arena_t *arena, void *block, size_t size, size_t alignment, bool zero,
                   tcache_t *tcache, hook_ralloc_args_t *hooks) {
    edata_t *const from = emap_edata_lookup(tsdn, &arena_emap_global, block);
    const size_t had = edata_usize_get(from);
    if (!kit_is_own(from) || alignment > CACHELINE || size < had - had / KIT_OWN_AHEAD) {
        return kit_large_ralloc(tsdn, arena, block, size, alignment, zero, tcache, hooks);
    }
    if (size <= had) {
        return block;
    }
    /* What grows by small steps would be moved at each: room that nothing touches costs address space alone. */
    void *other = NULL;
    if (size < SC_LARGE_MAXCLASS / 2) {
        other = large_malloc(tsdn, arena, sz_s2u(size + size / KIT_OWN_AHEAD), zero);
    }
    if (other == NULL && (other = large_malloc(tsdn, arena, size, zero)) == NULL) {
        return NULL;
    }
    edata_t *const to = emap_edata_lookup(tsdn, &arena_emap_global, other);
    if (!kit_is_own(to)) {
        memcpy(other, block, edata_usize_get(from));
        isdalloct(tsdn, block, edata_usize_get(from), tcache, NULL, true);
        return other;
    }
    arena_t *const own = arena_get_from_edata(from);
    pac_t *const pages = &own->pa_shard.pac;
    char *const base = edata_base_get(to);
    extent_deregister(tsdn, pages, from);
    if (mremap(edata_base_get(from), edata_size_get(from), edata_size_get(to), MREMAP_MAYMOVE | MREMAP_FIXED,
               base) != base) {
        /* The program may have divided the old mapping (mlock, mprotect). The kernel looks only after it has
         * unmapped the new one, whose place may be someone else's by now. */
        extent_reregister(tsdn, pages, from);
        emap_remap(tsdn, own->pa_shard.emap, from, edata_szind_get(from), false);
        extent_deregister(tsdn, pages, to);
        large_dalloc_prep_impl(tsdn, own, to, false);
        kit_end_own(tsdn, &own->pa_shard, to);
        return kit_large_ralloc(tsdn, arena, block, size, alignment, zero, tcache, hooks);
    }
    /* As far from the page's beginning as before: cache_oblivious. */
    edata_addr_set(to, base + ((uintptr_t)block & PAGE_MASK));
    large_dalloc_prep_impl(tsdn, own, from, false);
    kit_end_own(tsdn, &own->pa_shard, from);
    return edata_addr_get(to);
}

#include "src/pa_extra.c"
#include "src/pac.c"
#include "src/pages.c"
#include "src/peak_event.c"
#include "src/prof.c"
#include "src/prof_data.c"
#include "src/prof_log.c"
#include "src/prof_recent.c"
#include "src/prof_stack_range.c"
#include "src/prof_stats.c"
#include "src/prof_sys.c"
#include "src/psset.c"
#include "src/rtree.c"
#include "src/safety_check.c"
#include "src/san.c"
#include "src/san_bump.c"
#include "src/sc.c"
#include "src/sec.c"
/* No one asks for statistics, but three functions would print them: without the printer, and the tree of
 * names that it walks, an executable is 90 KB smaller. */
#define stats_print kit_stats_print_unused
#include "src/stats.c"
#undef stats_print

void stats_print(write_cb_t *write_cb, void *argument, const char *options) {
    (void)write_cb, (void)argument, (void)options;
}

#include "src/sz.c"
#include "src/tcache.c"
#include "src/test_hooks.c"
#include "src/thread_event.c"
#include "src/thread_event_registry.c"
#include "src/ticker.c"
#include "src/tsd.c"
#include "src/util.c"
#include "src/witness.c"

#undef sysconf

static inline void *heap_malloc(size_t size) {
    return je_malloc(size);
}

static inline void *heap_calloc(size_t size) {
    return je_calloc(1, size);
}

static inline void heap_free(void *block) {
    je_free(block);
}

static inline void *heap_realloc(void *block, size_t size) {
    return je_realloc(block, size);
}

static inline void *heap_aligned_alloc(size_t alignment, size_t size) {
    return je_aligned_alloc(alignment, size);
}

static inline size_t heap_usable_size(void *block) {
    return je_malloc_usable_size(block);
}

/* jemalloc takes every lock of its own before a fork, and lets go of them, or makes new ones, after it. */
static inline void heap_atfork(int who) {
    if (who < 0) {
        jemalloc_prefork();
    } else if (who == 0) {
        jemalloc_postfork_parent();
    } else {
        jemalloc_postfork_child();
    }
}

#ifdef BRAWN_PRELOAD
/* The calling thread's cache, and what the arenas keep. */
static void kit_trim(void) {
    tsd_t *const tsd = tsd_fetch();
    tsdn_t *const tsdn = tsd_tsdn(tsd);
    if (tcache_available(tsd)) {
        tcache_flush(tsd);
    }
    for (unsigned i = 0; i < narenas_total_get(); i++) {
        arena_t *const arena = arena_get(tsdn, i, false);
        if (arena != NULL) {
            arena_decay(tsdn, arena, false, true);
        }
    }
}
#define HEAP_TRIM kit_trim
#endif

#include "family.h"
