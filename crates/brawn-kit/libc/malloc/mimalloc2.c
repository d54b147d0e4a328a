/* mimalloc 2 as the heap of a libc.a: all of its sources in this one translation unit, less what a libc has
 * no use for. See mimalloc_kit.h, mimalloc_heap.h and gate.h. */

#define MI_STAT 0
#define MI_GUARDED 0
#define MI_MAX_DELAY_OUTPUT ((size_t)256)

#include "mimalloc_kit.h"
#include "mimalloc.h"
#include "mimalloc/internal.h"
#include "mimalloc/atomic.h"
#include "mimalloc/prim.h"

#if MI_MALLOC_VERSION != 20502
#error "another mimalloc than the table of the kit says: see allocators.toml"
#endif

static mi_error_fun *volatile mi_error_handler = &kit_error;

/* From the fast paths to everything else: through the gate. */
void *kit_malloc_generic(mi_heap_t *heap, size_t size, bool zero, size_t huge_alignment, mi_page_t **page);
static void kit_page_retire(mi_page_t *page);
static void kit_page_unfull(mi_page_t *page);

#define _mi_malloc_generic kit_malloc_generic
#define _mi_page_retire kit_page_retire
#define _mi_page_unfull kit_page_unfull
#include "alloc.c"
#include "alloc-aligned.c"
#undef _mi_malloc_generic
#undef _mi_page_retire
#undef _mi_page_unfull

#include "arena.c"
#include "bitmap.c"
#include "heap.c"
#include "init.c"
#include "libc.c"
#include "options.c"
#include "os.c"
#include "page.c"
#include "random.c"
#include "segment.c"
#include "segment-map.c"
#include "stats.c"

#define _mi_prim_getenv kit_no_getenv
#include "prim/prim.c"
#undef _mi_prim_getenv

int _mi_prim_getenv(const char *name, char *result, size_t size) {
    return kit_find_option(name, result, size);
}

__attribute__((noinline)) void *kit_malloc_generic(mi_heap_t *heap, size_t size, bool zero,
                                                   size_t huge_alignment, mi_page_t **page) {
    gate_enter();
    void *const block = _mi_malloc_generic(heap, size, zero, huge_alignment, page);
    gate_leave();
    return block;
}

static __attribute__((noinline)) void kit_free_foreign(void *block) {
    gate_enter();
    mi_free(block);
    gate_leave();
}

/* mimalloc 2 keeps no list of the heaps of other threads: what they had free at the fork is lost to the
 * child. */
static void gate_child_work(void) {
}

/* Whether this thread may work on the segment of the block without the gate. */
static inline bool kit_is_own(const mi_segment_t *segment) {
    return _mi_prim_thread_id() == mi_atomic_load_relaxed(&segment->thread_id);
}

static inline enum kit_whose kit_whose(void *block) {
    const mi_segment_t *const segment = mi_checked_ptr_segment(block, "realloc");
    return segment == NULL ? KIT_NOBODYS : kit_is_own(segment) ? KIT_OWN : KIT_FOREIGN;
}

static inline void *heap_malloc(size_t size) {
    return _mi_heap_malloc_zero_ex(mi_prim_get_default_heap(), size, false, 0, NULL);
}

static inline void *heap_calloc(size_t size) {
    return _mi_heap_malloc_zero_ex(mi_prim_get_default_heap(), size, true, 0, NULL);
}

static inline void heap_free(void *block) {
    mi_segment_t *const segment = mi_checked_ptr_segment(block, "free");
    if (__builtin_expect(segment == NULL, 0)) {
        if (block != NULL) {
            kit_abort("free of something that is not a block");
        }
        return;
    }
    if (__builtin_expect(!kit_is_own(segment), 0)) {
        kit_free_foreign(block);
        return;
    }
    mi_page_t *const page = _mi_segment_page_of(segment, block);
    if (__builtin_expect(page->flags.full_aligned == 0, 1)) {
        mi_free_block_local(page, mi_validate_block_from_ptr(page, block), false, true, false);
    } else {
        mi_free_generic_local(page, segment, block);
    }
}

#include "mimalloc_heap.h"
