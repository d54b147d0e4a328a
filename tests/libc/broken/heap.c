// A heap that is right, and one flaw at a time that makes it wrong: the tests must notice each of them, or
// they would prove nothing about the heaps of the kit. flaws.toml names the flaws and the tests that notice.
//
// Correct it is simple: one lock, a list of free blocks per power of two, mmap for what is larger. In front
// of every block stands a header that says where its memory starts.
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALLEST_SHIFT = 6, LARGEST_SHIFT = 16, CHUNK = 1 << 18, PAGE = 4096 };

struct header {
    size_t size;  // as asked for
    size_t space; // from `start` on
    void *start;
    struct header *next;
};

static struct header *free_lists[LARGEST_SHIFT + 1];
static char *chunk, *chunk_end;
static pthread_mutex_t lock __attribute__((unused)) = PTHREAD_MUTEX_INITIALIZER;

static void *from_system(size_t space) {
    void *start = mmap(NULL, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifdef FLAW_DIES_WITHOUT_MEMORY
    if (start == MAP_FAILED)
        __builtin_trap();
#endif
    return start == MAP_FAILED ? NULL : start;
}

static void acquire(void) {
#ifndef FLAW_NO_LOCK
    pthread_mutex_lock(&lock);
#endif
}

static void release(void) {
#ifndef FLAW_NO_LOCK
    pthread_mutex_unlock(&lock);
#endif
}

static void *small_space(unsigned shift) {
    void *start = NULL;
    acquire();
    if (free_lists[shift] != NULL) {
        struct header *header = free_lists[shift];
        start = header->start;
#ifdef FLAW_HANDS_OUT_TWICE
        static unsigned count;
        if (++count % 1024 != 0)
#endif
            free_lists[shift] = header->next;
    } else {
        if ((size_t)(chunk_end - chunk) < (size_t)1 << shift) {
            chunk = from_system(CHUNK);
            chunk_end = chunk == NULL ? NULL : chunk + CHUNK;
        }
        if (chunk != NULL) {
            start = chunk;
            chunk += (size_t)1 << shift;
        }
    }
    release();
    return start;
}

static bool no_memory(void) {
#ifndef FLAW_FORGETS_ERRNO
    errno = ENOMEM;
#endif
    return false;
}

#ifdef FLAW_READY_AFTER_CONSTRUCTORS
static volatile bool ready; // volatile, or the compiler runs the constructor itself
__attribute__((constructor(65535))) static void get_ready(void) {
    ready = true;
}
#endif

#ifdef FLAW_ENDS_WITH_DESTRUCTORS
static volatile bool ended;
__attribute__((destructor(65535))) static void end(void) {
    ended = true;
}
#endif

#ifdef FLAW_KEEPS_MEMORY_PER_THREAD
static _Thread_local char *of_this_thread;
#endif

static void *allocate(size_t alignment, size_t size) {
#ifdef FLAW_READY_AFTER_CONSTRUCTORS
    if (!ready)
        return no_memory(), NULL;
#endif
#ifdef FLAW_ENDS_WITH_DESTRUCTORS
    if (ended)
        return no_memory(), NULL;
#endif
#ifdef FLAW_DEEP_STACK
    char deep[4096] = {0};
    __asm__ volatile("" : : "r"(deep) : "memory"); // somebody might look at it
#endif
#ifdef FLAW_CANCELLATION_POINT
    pthread_testcancel();
#endif
#ifdef FLAW_KEEPS_MEMORY_PER_THREAD
    if (of_this_thread == NULL) {
        of_this_thread = from_system(PAGE);
        of_this_thread[0] = 1;
    }
#endif
#ifdef FLAW_IGNORES_ALIGNMENT
    alignment = 16;
#endif
    if (size > PTRDIFF_MAX - PAGE || alignment > PTRDIFF_MAX - size - PAGE)
        return no_memory(), NULL;
    size_t space = sizeof(struct header) + size + (alignment > 16 ? alignment : 0);
    unsigned shift = SMALLEST_SHIFT;
    while (shift <= LARGEST_SHIFT && (size_t)1 << shift < space)
        shift++;
    space = shift <= LARGEST_SHIFT ? (size_t)1 << shift : (space + PAGE - 1) / PAGE * PAGE;
    char *start = shift <= LARGEST_SHIFT ? small_space(shift) : from_system(space);
    if (start == NULL)
        return no_memory(), NULL;
    if (alignment < 16)
        alignment = 16;
    uintptr_t block = ((uintptr_t)start + sizeof(struct header) + alignment - 1) & ~(alignment - 1);
    ((struct header *)block)[-1] = (struct header){size, space, start, NULL};
    return (void *)block;
}

static struct header *header_of(void *block) {
    return (struct header *)block - 1;
}

static void release_block(void *block) {
#ifdef FLAW_NEVER_FREES
    block = NULL;
#endif
    if (block == NULL)
        return;
    struct header *header = header_of(block);
#ifdef FLAW_FREE_SETS_ERRNO
    errno = EINVAL;
#endif
    if (header->space > (size_t)1 << LARGEST_SHIFT) {
        munmap(header->start, header->space);
        return;
    }
    unsigned shift = (unsigned)__builtin_ctzll(header->space);
    // The next block of this space may have its header elsewhere, so the list lives at the start of the
    // space.
    struct header *first = header->start;
    *first = (struct header){0, header->space, header->start, NULL};
    acquire();
    first->next = free_lists[shift];
    free_lists[shift] = first;
    release();
}

static bool overflows(size_t count, size_t size) {
#ifdef FLAW_IGNORES_OVERFLOW
    return false;
#endif
    return size != 0 && count > SIZE_MAX / size;
}

void *__libc_malloc(size_t size) {
#ifdef FLAW_EMPTY_BLOCKS_ARE_ONE
    static char empty[64];
    if (size == 0)
        return empty + 32;
#endif
    return allocate(16, size);
}

void *__libc_malloc_impl(size_t size) {
    return __libc_malloc(size);
}

void __libc_free(void *block) {
    release_block(block);
}

void *__libc_calloc(size_t count, size_t size) {
    if (overflows(count, size))
        return no_memory(), NULL;
    void *block = allocate(16, count * size);
#ifdef FLAW_DIRTY_CALLOC
    if (block != NULL && count * size >= 1000)
        return block;
#endif
    return block == NULL ? NULL : memset(block, 0, count * size);
}

void *__libc_realloc(void *block, size_t size) {
    if (block == NULL)
        return allocate(16, size);
    size_t kept = header_of(block)->size;
#ifdef FLAW_REALLOC_LOSES_THE_END
    kept = kept / 16 * 16;
#endif
    void *moved = allocate(16, size);
    if (moved == NULL)
        return NULL;
    memcpy(moved, block, kept < size ? kept : size);
    release_block(block);
    return moved;
}

void *malloc(size_t size) {
    return __libc_malloc(size);
}

void free(void *block) {
    release_block(block);
}

void *calloc(size_t count, size_t size) {
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    return __libc_realloc(block, size);
}

void *reallocarray(void *block, size_t count, size_t size) {
    if (overflows(count, size))
        return no_memory(), NULL;
    return realloc(block, count * size);
}

static bool is_power_of_two(size_t alignment) {
    return alignment != 0 && (alignment & (alignment - 1)) == 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
    if (!is_power_of_two(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    return allocate(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
    return aligned_alloc(alignment, size);
}

void *valloc(size_t size) {
    return aligned_alloc(PAGE, size);
}

int posix_memalign(void **place, size_t alignment, size_t size) {
    if (alignment < sizeof(void *))
        return EINVAL;
    const int before = errno;
    void *block = aligned_alloc(alignment, size);
    if (block == NULL) {
        const int error = errno;
#ifdef FLAW_POSIX_MEMALIGN_KEEPS_ERRNO
        errno = before;
#endif
        (void)before;
        return error;
    }
    *place = block;
    return 0;
}

size_t malloc_usable_size(void *block) {
#ifdef FLAW_OVERSTATES_SIZE
    return block == NULL ? 0 : header_of(block)->space;
#endif
    return block == NULL ? 0 : header_of(block)->size;
}

#ifdef FLAW_LOCKED_BEFORE_THE_LIBRARY
#define __malloc_atfork __ldso_atfork // which fork calls before it takes any lock
#endif
#ifndef FLAW_FORGETS_FORK
void __malloc_atfork(int who) {
    if (who < 0)
        acquire();
    else
        release();
}
#endif
