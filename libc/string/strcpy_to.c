/* What stpcpy and strcat share: strcopy.h as a function. strcpy has it in place. */
#include "entry.h"
#include "text.h"
#include "strcopy.h"
#include "strcpy_long.h"

HIDDEN char *NAME(__brawn_strcpy_to)(char *d, const char *s, char *result);

/* Returns `result` or, where that is a null pointer, the end of the copy. */
OVER_READS char *NAME(__brawn_strcpy_to)(char *d, const char *s, char *result) {
    return (char *)copy_small((lane *)d, (const lane *)s, (lane *)result);
}
