/* Tables that programs register for code that they make, as libgcc and LLVM's libunwind let them. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "frames.h"

/* libgcc's callers bring the memory of an object: six words. */
struct object {
    const void *begin;
    struct object *next;
    word kind;
};

static _Atomic(struct object *) objects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Where an entry begins that is no CIE, it is alone, as LLVM's libunwind has it; else a table, as libgcc has it. */
static const uint8_t *look(const uint8_t *frames, word pc, struct fde *fde) {
    struct reader head = {frames, frames + 16, false};
    bool wide = read_fixed(&head, 4) == 0xffffffff;
    if (wide)
        read_fixed(&head, 8);
    return __brawn_unwind_scan(frames, pc, fde, read_fixed(&head, 4) != 0);
}

const uint8_t *__brawn_unwind_registered(word pc, struct fde *fde) {
    const uint8_t *entry = NULL;
    if (atomic_load_explicit(&objects, memory_order_acquire) == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    for (struct object *object = objects; object != NULL && entry == NULL; object = object->next) {
        if (object->kind & OBJECT_TABLE) {
            const uint8_t *const *tables = object->begin;
            while (entry == NULL && *tables != NULL)
                entry = look(*tables++, pc, fde);
        } else {
            entry = look(object->begin, pc, fde);
        }
    }
    pthread_mutex_unlock(&lock);
    return entry;
}

/* `kind` has OBJECT_TABLE for a list of tables; `object` is NULL where it is to be allocated. */
void __brawn_unwind_add(const void *begin, void *memory, unsigned kind) {
    struct object *object = memory;
    /* An empty table, as the start files of programs without one have it. */
    if (begin == NULL || (!(kind & OBJECT_TABLE) && *(const uint32_t *)begin == 0))
        return;
    if (object == NULL && (object = malloc(sizeof *object)) == NULL)
        abort();
    object->begin = begin;
    object->kind = kind;
    pthread_mutex_lock(&lock);
    object->next = objects;
    atomic_store_explicit(&objects, object, memory_order_release);
    pthread_mutex_unlock(&lock);
}

/* The memory of what was registered, or NULL. */
void *__brawn_unwind_take(const void *begin) {
    struct object *found = NULL, *before = NULL;
    pthread_mutex_lock(&lock);
    for (struct object *object = objects; object != NULL && found == NULL; object = object->next) {
        if (object->begin != begin) {
            before = object;
            continue;
        }
        found = object;
        if (before == NULL)
            atomic_store_explicit(&objects, object->next, memory_order_release);
        else
            before->next = object->next;
    }
    pthread_mutex_unlock(&lock);
    return found;
}
