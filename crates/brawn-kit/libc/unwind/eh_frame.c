/* What is known of a frame, and the step to its caller. Rows are kept by the place in the code, and read without a lock. */

#include <stdatomic.h>

#include "frames.h"

enum { WORDS = sizeof(struct row) / 8, SETS_LOG = 9, SETS = 1 << SETS_LOG, WAYS = 2 };

_Static_assert(sizeof(struct row) % 8 == 0 && sizeof(struct row) <= 64 * (SAVED > 7 ? 2 : 1),
               "whole cache lines");

/* Pages of it are touched where unwinding comes by. */
static struct kept {
    _Alignas(SAVED > 7 ? 128 : 64) _Atomic uint64_t words[WORDS];
} rows[SETS][WAYS];

static inline struct kept *set_of(uint32_t key) {
    return rows[(key * 0x9e3779b1u) >> (32 - SETS_LOG)];
}

static inline bool lookup(uint32_t key, struct row *row) {
    struct kept *set = set_of(key);
    for (unsigned way = 0; way < WAYS; way++) {
        uint64_t *into = (uint64_t *)(void *)row;
        uint64_t head = atomic_load_explicit(&set[way].words[0], memory_order_acquire);
        if (head >> 32 != key || (head & 1) || head == 0)
            continue;
        for (unsigned i = 1; i < WORDS; i++)
            into[i] = atomic_load_explicit(&set[way].words[i], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&set[way].words[0], memory_order_relaxed) == head)
            return true;
    }
    return false;
}

/* Who finds another at it, or interrupts one, leaves it. */
static void keep(uint32_t key, const struct row *row) {
    struct kept *set = set_of(key);
    const uint64_t *from = (const uint64_t *)(const void *)row;
    uint64_t heads[WAYS];
    for (unsigned way = 0; way < WAYS; way++) {
        heads[way] = atomic_load_explicit(&set[way].words[0], memory_order_relaxed);
        if (heads[way] >> 32 == key && heads[way] != 0)
            return;
    }
    /* An empty place; or one and the other in turn. */
    unsigned way = heads[0] == 0 ? 0 : heads[1] == 0 ? 1 : (heads[0] >> 1 ^ heads[1] >> 1) & 1;
    uint64_t head = heads[way];
    if ((head & 1) || !atomic_compare_exchange_strong(&set[way].words[0], &head, head | 1))
        return;
    atomic_thread_fence(memory_order_release);
    for (unsigned i = 1; i < WORDS; i++)
        atomic_store_explicit(&set[way].words[i], from[i], memory_order_relaxed);
    uint64_t next = (uint64_t)key << 32 | (uint32_t)(head + 2);
    atomic_store_explicit(&set[way].words[0], next, memory_order_release);
}

/* Whether the kernel's return from a signal handler begins here, as musl writes it. */
static bool is_sigreturn(const struct image *image, word pc) {
    if (pc < image->code || pc > image->code_end - 12)
        return false;
#if defined(__x86_64__)
    static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    for (size_t i = 0; i < sizeof code; i++) {
        if (((const uint8_t *)pc)[i] != code[i])
            return false;
    }
    return true;
#else
    return pc % 4 == 0 && ((const uint32_t *)pc)[0] == 0xd2801168 && ((const uint32_t *)pc)[1] == 0xd4000001;
#endif
}

/* Puts rules that are all of the common kind into a row. */
static bool fill(struct row *row, const struct fde *fde, const struct rules *rules) {
    unsigned count = 0;
    if (rules->cfa_is_expression || rules->is_signed || rules->cfa_value != (int32_t)rules->cfa_value ||
        rules->arguments != (uint32_t)rules->arguments)
        return false;
    for (size_t i = 0; i < COLUMNS; i++) {
        intptr_t value = rules->value[i];
        if (rules->kind[i] == RULE_SAME)
            continue;
        if (rules->kind[i] != RULE_OFFSET || i == STACK || value % 8 != 0 ||
            value / 8 != (int16_t)(value / 8) || count > SAVED)
            return false;
        row->saved[count++] = (struct saved){(int16_t)(value / 8), (uint16_t)i};
    }
#if defined(__x86_64__)
    if (fde->return_column != PC)
        return false;
#else
    if (fde->return_column != 30)
        return false;
#endif
    row->count = (uint8_t)count;
    row->cfa_register = (uint8_t)rules->cfa_column;
    row->cfa_offset = (int32_t)rules->cfa_value;
    row->arguments = (uint32_t)rules->arguments;
    return true;
}

static bool within(word from, word end, word address) {
    return address - from < end - from;
}

__attribute__((noinline)) static bool look_slowly(const struct image *image, struct _Unwind_Context *context,
                                                  word pc) {
    struct row *row = &context->row;
    struct fde fde;
    struct rules rules;
    for (size_t i = 0; i < WORDS; i++)
        ((uint64_t *)(void *)row)[i] = 0;
    bool here = within(image->low, image->high, pc), keeps = within(image->read, image->read_end, pc);
    context->start = context->data = context->personality = 0;
    if (here && !context->exact && is_sigreturn(image, context->r[PC])) {
        row->flags = ROW_SIGRETURN | ROW_SIGNAL;
        context->start = context->r[PC];
    } else {
        const uint8_t *entry = here ? __brawn_unwind_find(image, pc, &fde) : NULL;
        if (entry == NULL)
            entry = __brawn_unwind_registered(pc, &fde);
        if (entry == NULL || !__brawn_unwind_rules(&fde, pc, &rules)) {
            row->flags = ROW_NONE;
            return false;
        }
        keeps = keeps && within(image->read, image->read_end, (word)entry);
        context->start = fde.start;
        context->data = fde.data;
        context->personality = fde.personality;
        context->fde = entry;
        row->flags = fde.signal ? ROW_SIGNAL : 0;
        if (!fill(row, &fde, &rules)) {
            row->flags |= ROW_SLOW;
            row->count = 0;
            row->arguments = (uint32_t)((word)entry - image->low);
        }
    }
    word last = image->high - image->low;
    keeps = keeps && last == (uint32_t)last;
    const word addresses[] = {context->start, context->data, context->personality};
    for (size_t i = 0; i < 3; i++)
        keeps = keeps && (addresses[i] == 0 || within(image->low, image->high, addresses[i]));
    if (keeps) {
        row->start = context->start ? (uint32_t)(context->start - image->low) : 0;
        row->data = context->data ? (uint32_t)(context->data - image->low) : 0;
        row->personality = context->personality ? (uint32_t)(context->personality - image->low) : 0;
        keep((uint32_t)(pc - image->low), row);
    }
    return true;
}

/* Finds what describes the frame. False at the end of the stack. */
bool __brawn_unwind_look(struct _Unwind_Context *context) {
    struct image own;
    const struct image *image = __brawn_unwind_image(&own);
    word pc = context->r[PC] - !context->exact, low = image->low;
    struct row *row = &context->row;
    context->place = pc;
    if (context->r[PC] == 0)
        return false;
    if (!within(image->read, image->read_end, pc) || !lookup((uint32_t)(pc - low), row))
        return look_slowly(image, context, pc);
    context->start = row->start ? low + row->start : 0;
    context->data = row->data ? low + row->data : 0;
    context->personality = row->personality ? low + row->personality : 0;
    if (row->flags & ROW_SLOW)
        context->fde = (const uint8_t *)(low + row->arguments);
    return true;
}

/* The kernel's record of what a signal interrupted lies where the handler returned to. */
static void from_signal(struct _Unwind_Context *context) {
    word *r = context->r;
#if defined(__x86_64__)
    /* r8 to r15, di, si, bp, bx, dx, ax, cx, sp, ip */
    static const uint8_t order[COLUMNS] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, STACK, PC};
    const word *saved = (const word *)(r[STACK] + 40);
    for (size_t i = 0; i < COLUMNS; i++)
        r[order[i]] = saved[i];
#else
    /* Behind the siginfo: flags, link, stack, mask, address; x0 to x30, sp, pc. The handler kept d8 to d15. */
    const word *saved = (const word *)(r[STACK] + 128 + 176 + 8);
    for (size_t i = 0; i <= PC; i++)
        r[i] = saved[i];
#endif
}

__attribute__((noinline)) static bool step_slowly(struct _Unwind_Context *context) {
    if (context->row.flags & ROW_SIGRETURN) {
        from_signal(context);
        return true;
    }
    struct fde fde;
    struct rules rules;
    return __brawn_unwind_decode(context->fde, &fde, NULL) &&
           __brawn_unwind_rules(&fde, context->place, &rules) && __brawn_unwind_apply(&fde, &rules, context);
}

/* Goes to the caller. False where there is none. */
bool __brawn_unwind_step(struct _Unwind_Context *context) {
    word *r = context->r, stack = r[STACK], pc = r[PC];
    const struct row *row = &context->row;
    if (__builtin_expect(row->flags & (ROW_SLOW | ROW_SIGRETURN), 0)) {
        if (!step_slowly(context))
            return false;
    } else {
        word cfa = r[row->cfa_register] + (word)(intptr_t)row->cfa_offset;
        for (unsigned i = 0; i < row->count; i++)
            r[row->saved[i].column] = *(const word *)(cfa + (word)(row->saved[i].slot * (intptr_t)8));
        r[STACK] = cfa;
#if defined(__aarch64__)
        r[PC] = r[30];
#endif
    }
    context->exact = row->flags & ROW_SIGNAL;
    /* A frame that is its own caller. */
    return r[PC] != 0 && (r[STACK] != stack || r[PC] != pc);
}
