/* The interface of unwinders: that of the C++ ABI for Itanium, with what GCC added, and what programs call that make code. */
#ifndef BRAWN_UNWIND_H
#define BRAWN_UNWIND_H

#include <stdint.h>

struct _Unwind_Context;

enum reason {
    REASON_NONE = 0,
    REASON_FOREIGN_CAUGHT = 1,
    REASON_FATAL_2 = 2,
    REASON_FATAL_1 = 3,
    REASON_END_OF_STACK = 5,
    REASON_HANDLER_FOUND = 6,
    REASON_INSTALL = 7,
    REASON_CONTINUE = 8
};

enum action { SEARCH_PHASE = 1, CLEANUP_PHASE = 2, HANDLER_FRAME = 4, FORCE_UNWIND = 8, END_OF_STACK = 16 };

struct _Unwind_Exception {
    uint64_t class;
    void (*cleanup)(enum reason reason, struct _Unwind_Exception *exception);
    /* The function that stops a forced unwinding, and its argument; else nothing, and the stack of the handler's frame. */
    uintptr_t private_1, private_2;
} __attribute__((aligned(16)));

typedef enum reason personality_function(int version, int actions, uint64_t class,
                                         struct _Unwind_Exception *exception,
                                         struct _Unwind_Context *context);
typedef enum reason stop_function(int version, int actions, uint64_t class,
                                  struct _Unwind_Exception *exception, struct _Unwind_Context *context,
                                  void *argument);
typedef enum reason trace_function(struct _Unwind_Context *context, void *argument);

struct dwarf_eh_bases {
    void *text, *data, *function;
};

enum reason _Unwind_RaiseException(struct _Unwind_Exception *exception);
enum reason _Unwind_ForcedUnwind(struct _Unwind_Exception *exception, stop_function *stop, void *argument);
void _Unwind_Resume(struct _Unwind_Exception *exception);
enum reason _Unwind_Resume_or_Rethrow(struct _Unwind_Exception *exception);
enum reason _Unwind_Backtrace(trace_function *trace, void *argument);
void _Unwind_DeleteException(struct _Unwind_Exception *exception);
uintptr_t _Unwind_GetGR(struct _Unwind_Context *context, int number);
void _Unwind_SetGR(struct _Unwind_Context *context, int number, uintptr_t value);
uintptr_t _Unwind_GetIP(struct _Unwind_Context *context);
uintptr_t _Unwind_GetIPInfo(struct _Unwind_Context *context, int *before);
void _Unwind_SetIP(struct _Unwind_Context *context, uintptr_t value);
uintptr_t _Unwind_GetCFA(struct _Unwind_Context *context);
uintptr_t _Unwind_GetLanguageSpecificData(struct _Unwind_Context *context);
uintptr_t _Unwind_GetRegionStart(struct _Unwind_Context *context);
uintptr_t _Unwind_GetTextRelBase(struct _Unwind_Context *context);
uintptr_t _Unwind_GetDataRelBase(struct _Unwind_Context *context);
void *_Unwind_FindEnclosingFunction(void *pc);
const void *_Unwind_Find_FDE(const void *pc, struct dwarf_eh_bases *bases);

void __register_frame(void *begin);
void __register_frame_info(const void *begin, void *object);
void __register_frame_info_bases(const void *begin, void *object, void *text, void *data);
void __register_frame_info_table(void *begin, void *object);
void __register_frame_info_table_bases(void *begin, void *object, void *text, void *data);
void __register_frame_table(void *begin);
void __deregister_frame(void *begin);
void *__deregister_frame_info(const void *begin);
void *__deregister_frame_info_bases(const void *begin);

#endif
