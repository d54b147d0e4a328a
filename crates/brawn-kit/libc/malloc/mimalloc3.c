/* mimalloc 3 as the heap of a libc.a: all of its sources in this one translation unit, less what a libc has
 * no use for. See mimalloc_kit.h, mimalloc_heap.h and gate.h. */

#define MI_PROFILE 0
#define MI_STATS 0
#define MI_GUARDED 0
#define MI_NO_PTHREAD_ATFORK 1
#define MI_MAX_DELAY_OUTPUT ((size_t)256)

#include "mimalloc_kit.h"
#include "mimalloc.h"

#if MI_MALLOC_VERSION != 30600
#error "another mimalloc than the table of the kit says: see allocators.toml"
#endif

static mi_error_fun *volatile mi_error_handler = &kit_error;

#define _mi_prim_getenv kit_no_getenv
#include "prim/os.c"
#include "prim/prim.c"
#undef _mi_prim_getenv
#include "prim/prim-tls.c"

int _mi_prim_getenv(const char *name, char *result, size_t size) {
    return kit_find_option(name, result, size);
}

#include "util/libc.c"
#include "util/options.c"
#include "util/random.c"
#include "util/stats.c"
#include "util/threadlocal.c"

#include "arena/arena.c"
#include "arena/arena-alloc.c"
#include "arena/arena-page.c"
#include "arena/bitmap-chunk.c"
#include "arena/bitmap.c"

/* From the fast paths to everything else: through the gate. */
void *kit_malloc_generic(mi_theap_t *theap, size_t size, size_t zero_huge_alignment, mi_page_t **page);
static void kit_page_retire(mi_page_t *page);
static void kit_page_unfull(mi_page_t *page);

/* A free list must be a list between any two stores, for the child of a fork: see gate.h. The fence costs
 * nothing; it keeps the compiler from linking a block in before the block points to the next one. */
#define mi_block_set_next(page, block, next)                                                                 \
    (mi_block_set_next(page, block, next), atomic_signal_fence(memory_order_release))
#define _mi_malloc_generic kit_malloc_generic
#define _mi_page_retire kit_page_retire
#define _mi_page_unfull kit_page_unfull
#include "alloc/alloc.c"
#include "alloc/alloc-aligned.c"
#undef _mi_malloc_generic
#undef _mi_page_retire
#undef _mi_page_unfull

#include "alloc/alloc-generic.c"
#include "alloc/page.c"
#include "alloc/page-queue.c"

#include "heap/heap.c"
/* It would look for an instruction that only builds by another compiler ask for, with a cpuid, which traps in
 * a virtual machine: 4 to 13 us of every start. */
#define _mi_detect_cpu_features() ((void)0)
#include "heap/init.c"
#undef _mi_detect_cpu_features
#include "heap/page-map.c"
#include "heap/subproc.c"
#include "heap/theap.c"

#include "profile/sample-guarded.c"
#include "profile/sample-profile.c"
#include "profile/pprof.c"

__attribute__((noinline)) void *kit_malloc_generic(mi_theap_t *theap, size_t size, size_t zero_huge_alignment,
                                                   mi_page_t **page) {
    gate_enter();
    void *const block = _mi_malloc_generic(theap, size, zero_huge_alignment, page);
    gate_leave();
    return block;
}

static __attribute__((noinline)) void kit_free_foreign(void *block, mi_page_t *page) {
    gate_enter();
    mi_free_nonnull(block, page, NULL, true);
    gate_leave();
}

#if MI_SECURE
/* Secure builds clear the link of a block before they take the block off its list. A thread that fork caught
 * in between has left a list whose first link is 0, which no encoded link is; what followed is lost to the
 * child. */
static bool kit_repair(mi_theap_t *theap, mi_page_queue_t *queue, mi_page_t *page, void *a, void *b) {
    (void)theap, (void)queue, (void)a, (void)b;
    if (page->free != NULL && page->free->next == 0) {
        page->free = NULL;
    }
    return true;
}
#endif

/* Gives what the threads of the parent had to whom it may serve. */
static void gate_child_work(void) {
#if MI_SECURE
    for (mi_subproc_t *subproc = mi_subprocs; subproc != NULL; subproc = subproc->next) {
        for (mi_heap_t *heap = subproc->heaps; heap != NULL; heap = heap->next) {
            for (mi_theap_t *theap = heap->theaps; theap != NULL; theap = theap->hnext) {
                mi_theap_visit_pages(theap, &kit_repair, true, NULL, NULL);
            }
        }
    }
#endif
    _mi_fork_child();
}

/* A page is the calling thread's if nothing but its flags differs. */
static inline enum kit_whose kit_whose(void *block) {
    mi_page_t *page;
    if (!mi_ptr_page_is_valid(block, "realloc", &page)) {
        return KIT_NOBODYS;
    }
    return (_mi_prim_thread_id() ^ mi_page_xthread_id(page)) <= MI_PAGE_FLAG_MASK ? KIT_OWN : KIT_FOREIGN;
}

static inline void *heap_malloc(size_t size) {
    return _mi_theap_malloc_zero(_mi_theap_default(), size, false, 0, NULL);
}

static inline void *heap_calloc(size_t size) {
    return _mi_theap_malloc_zero(_mi_theap_default(), size, true, 0, NULL);
}

static inline void heap_free(void *block) {
    mi_page_t *page;
    if (__builtin_expect(!mi_ptr_page_is_valid(block, "free", &page), 0)) {
        if (block != NULL) {
            kit_abort("free of something that is not a block");
        }
        return;
    }
    const mi_threadid_t other = _mi_prim_thread_id() ^ mi_page_xthread_id(page);
    if (__builtin_expect(other == 0, 1)) {
        mi_free_block_local(page, mi_validate_block_from_ptr(page, block), false, false);
    } else if (other <= MI_PAGE_FLAG_MASK) {
        mi_free_generic_local(page, block);
    } else {
        kit_free_foreign(block, page);
    }
}

#include "mimalloc_heap.h"
