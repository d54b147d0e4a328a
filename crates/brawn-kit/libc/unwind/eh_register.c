/* What registers tables of code that was made. By itself, as the start files of GCC take it where it is there: then the table of
   the whole program would be registered at each start, and no unwinder could be left out. */

#include <stdlib.h>

#include "frames.h"
#include "unwind.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC void __register_frame_info_bases(const void *begin, void *object, void *text, void *data) {
    (void)text, (void)data;
    __brawn_unwind_add(begin, object, 0);
}

PUBLIC void __register_frame_info(const void *begin, void *object) {
    __brawn_unwind_add(begin, object, 0);
}

PUBLIC void __register_frame_info_table_bases(void *begin, void *object, void *text, void *data) {
    (void)text, (void)data;
    __brawn_unwind_add(begin, object, OBJECT_TABLE);
}

PUBLIC void __register_frame_info_table(void *begin, void *object) {
    __brawn_unwind_add(begin, object, OBJECT_TABLE);
}

PUBLIC void __register_frame(void *begin) {
    __brawn_unwind_add(begin, NULL, 0);
}

PUBLIC void __register_frame_table(void *begin) {
    __brawn_unwind_add(begin, NULL, OBJECT_TABLE);
}

PUBLIC void *__deregister_frame_info_bases(const void *begin) {
    return __brawn_unwind_take(begin);
}

PUBLIC void *__deregister_frame_info(const void *begin) {
    return __brawn_unwind_take(begin);
}

PUBLIC void __deregister_frame(void *begin) {
    free(__brawn_unwind_take(begin));
}
