/* Exceptions of any language pass through frames here: a search for a handler, then the cleaning up on the way to it. All that
   unwinds is in one object, so that a program has all of it from here or nothing. */

#include <stdlib.h>

#include "frames.h"
#include "unwind.h"

#include "entry.h"

#define HIDDEN __attribute__((used, visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))

_Static_assert(sizeof(struct _Unwind_Exception) == 32, "the layout that languages know");

/* A context at the caller of the function that was called. */
static void begin(struct _Unwind_Context *context, const word *registers) {
    word *r = context->r;
#if defined(__x86_64__)
    for (size_t i = 0; i < COLUMNS; i++)
        r[i] = 0;
    r[3] = registers[3];
    r[6] = registers[6];
    r[STACK] = registers[STACK];
    for (size_t i = 12; i < COLUMNS; i++)
        r[i] = registers[i];
#else
    for (size_t i = 0; i < COLUMNS; i++)
        r[i] = i < 19 ? 0 : registers[i];
#endif
    context->exact = false;
}

static enum reason call(struct _Unwind_Context *context, int actions, struct _Unwind_Exception *exception) {
    personality_function *personality = (personality_function *)context->personality;
    return personality(1, actions, exception->class, exception, context);
}

/* Goes on where the personality wants to. */
__attribute__((noreturn)) static void land(struct _Unwind_Context *context) {
    word arguments = context->row.arguments;
    if (context->row.flags & ROW_SLOW) {
        struct fde fde;
        struct rules rules;
        arguments = 0;
        if (__brawn_unwind_decode(context->fde, &fde, NULL) &&
            __brawn_unwind_rules(&fde, context->place, &rules))
            arguments = rules.arguments;
    }
    context->r[STACK] += arguments;
    install(context->r);
}

/* The second phase of what was raised. Comes back only when something is wrong. */
static enum reason clean_up(struct _Unwind_Exception *exception, const word *registers) {
    struct _Unwind_Context context;
    begin(&context, registers);
    while (__brawn_unwind_look(&context)) {
        bool last = context.r[STACK] == exception->private_2;
        if (context.personality != 0) {
            enum reason reason = call(&context, CLEANUP_PHASE | (last ? HANDLER_FRAME : 0), exception);
            if (reason == REASON_INSTALL)
                land(&context);
            if (reason != REASON_CONTINUE)
                return REASON_FATAL_2;
            /* It had found a handler here. */
            if (last)
                abort();
        }
        if (!__brawn_unwind_step(&context))
            break;
    }
    return REASON_FATAL_2;
}

static enum reason clean_up_forced(struct _Unwind_Exception *exception, const word *registers) {
    struct _Unwind_Context context;
    stop_function *stop = (stop_function *)exception->private_1;
    void *argument = (void *)exception->private_2;
    begin(&context, registers);
    for (bool goes_on = true;;) {
        goes_on = goes_on && __brawn_unwind_look(&context);
        int actions = FORCE_UNWIND | CLEANUP_PHASE;
        int all = goes_on ? actions : actions | END_OF_STACK;
        if (stop(1, all, exception->class, exception, &context, argument) != REASON_NONE)
            return REASON_FATAL_2;
        if (!goes_on)
            return REASON_END_OF_STACK;
        if (context.personality != 0) {
            enum reason reason = call(&context, actions, exception);
            if (reason == REASON_INSTALL)
                land(&context);
            if (reason != REASON_CONTINUE)
                return REASON_FATAL_2;
        }
        goes_on = __brawn_unwind_step(&context);
    }
}

enum reason __brawn_unwind_raise(struct _Unwind_Exception *exception, const word *registers);
enum reason __brawn_unwind_force(struct _Unwind_Exception *exception, stop_function *stop, void *argument,
                                 const word *registers);
void __brawn_unwind_resume(struct _Unwind_Exception *exception, const word *registers);
enum reason __brawn_unwind_again(struct _Unwind_Exception *exception, const word *registers);
enum reason __brawn_unwind_trace(trace_function *trace, void *argument, const word *registers);

HIDDEN enum reason __brawn_unwind_raise(struct _Unwind_Exception *exception, const word *registers) {
    struct _Unwind_Context context;
    exception->private_1 = exception->private_2 = 0;
    begin(&context, registers);
    do {
        if (!__brawn_unwind_look(&context))
            return REASON_END_OF_STACK;
        if (context.personality == 0)
            continue;
        enum reason reason = call(&context, SEARCH_PHASE, exception);
        if (reason == REASON_HANDLER_FOUND) {
            exception->private_2 = context.r[STACK];
            return clean_up(exception, registers);
        }
        if (reason != REASON_CONTINUE)
            return REASON_FATAL_1;
    } while (__brawn_unwind_step(&context));
    return REASON_END_OF_STACK;
}

HIDDEN enum reason __brawn_unwind_force(struct _Unwind_Exception *exception, stop_function *stop,
                                        void *argument, const word *registers) {
    exception->private_1 = (word)stop;
    exception->private_2 = (word)argument;
    return clean_up_forced(exception, registers);
}

/* A landing pad has cleaned up and goes on: it cannot be told that this is not possible. */
HIDDEN void __brawn_unwind_resume(struct _Unwind_Exception *exception, const word *registers) {
    if (exception->private_1 != 0)
        clean_up_forced(exception, registers);
    else
        clean_up(exception, registers);
    abort();
}

HIDDEN enum reason __brawn_unwind_again(struct _Unwind_Exception *exception, const word *registers) {
    if (exception->private_1 == 0)
        return __brawn_unwind_raise(exception, registers);
    clean_up_forced(exception, registers);
    abort();
}

HIDDEN enum reason __brawn_unwind_trace(trace_function *trace, void *argument, const word *registers) {
    struct _Unwind_Context context;
    begin(&context, registers);
    do {
        if (!__brawn_unwind_look(&context))
            return REASON_END_OF_STACK;
        enum reason reason = trace(&context, argument);
        if (reason != REASON_NONE)
            return reason;
    } while (__brawn_unwind_step(&context));
    return REASON_END_OF_STACK;
}

ENTRY_1(_Unwind_RaiseException, __brawn_unwind_raise);
ENTRY_3(_Unwind_ForcedUnwind, __brawn_unwind_force);
ENTRY_1(_Unwind_Resume, __brawn_unwind_resume);
ENTRY_1(_Unwind_Resume_or_Rethrow, __brawn_unwind_again);
ENTRY_2(_Unwind_Backtrace, __brawn_unwind_trace);

PUBLIC void _Unwind_DeleteException(struct _Unwind_Exception *exception) {
    if (exception->cleanup != NULL)
        exception->cleanup(REASON_FOREIGN_CAUGHT, exception);
}

PUBLIC uintptr_t _Unwind_GetGR(struct _Unwind_Context *context, int number) {
    word index = column((word)(intptr_t)number);
    return index < COLUMNS ? context->r[index] : 0;
}

PUBLIC void _Unwind_SetGR(struct _Unwind_Context *context, int number, uintptr_t value) {
    word index = column((word)(intptr_t)number);
    if (index >= COLUMNS)
        abort();
    context->r[index] = value;
}

PUBLIC uintptr_t _Unwind_GetIP(struct _Unwind_Context *context) {
    return context->r[PC];
}

/* In a frame that a signal interrupted, and in the one that leads back from it, the pc is not behind a call. */
PUBLIC uintptr_t _Unwind_GetIPInfo(struct _Unwind_Context *context, int *before) {
    *before = context->exact || (context->row.flags & ROW_SIGRETURN);
    return context->r[PC];
}

PUBLIC void _Unwind_SetIP(struct _Unwind_Context *context, uintptr_t value) {
    context->r[PC] = value;
}

PUBLIC uintptr_t _Unwind_GetCFA(struct _Unwind_Context *context) {
    return context->r[STACK];
}

PUBLIC uintptr_t _Unwind_GetLanguageSpecificData(struct _Unwind_Context *context) {
    return context->data;
}

PUBLIC uintptr_t _Unwind_GetRegionStart(struct _Unwind_Context *context) {
    return context->start;
}

/* Nothing is encoded from a base of code or data on these architectures. */
PUBLIC uintptr_t _Unwind_GetTextRelBase(struct _Unwind_Context *context) {
    (void)context;
    return 0;
}

PUBLIC uintptr_t _Unwind_GetDataRelBase(struct _Unwind_Context *context) {
    (void)context;
    return 0;
}

static const uint8_t *find(const void *pc, struct fde *fde) {
    struct image own;
    const struct image *image = __brawn_unwind_image(&own);
    const uint8_t *entry = NULL;
    if ((word)pc >= image->low && (word)pc < image->high)
        entry = __brawn_unwind_find(image, (word)pc, fde);
    return entry != NULL ? entry : __brawn_unwind_registered((word)pc, fde);
}

PUBLIC void *_Unwind_FindEnclosingFunction(void *pc) {
    struct fde fde;
    return find(pc, &fde) != NULL ? (void *)fde.start : NULL;
}

PUBLIC const void *_Unwind_Find_FDE(const void *pc, struct dwarf_eh_bases *bases) {
    struct fde fde;
    const uint8_t *entry = find(pc, &fde);
    if (entry != NULL)
        *bases = (struct dwarf_eh_bases){NULL, NULL, (void *)fde.start};
    return entry;
}
