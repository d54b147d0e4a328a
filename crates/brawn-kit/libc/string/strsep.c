/* The field up to the next byte of a set; *string moves past that byte, or becomes a null pointer at the
 * end. */
#include "brawn_string.h"

PUBLIC char *NAME(strsep)(char **string, const char *set);
size_t NAME(strcspn)(const char *s, const char *set);

char *NAME(strsep)(char **string, const char *set) {
    char *const field = *string;
    if (field == NULL) {
        return NULL;
    }
    char *const end = field + NAME(strcspn)(field, set);
    if (*end) {
        *end = 0;
        *string = end + 1;
    } else {
        *string = NULL;
    }
    return field;
}
