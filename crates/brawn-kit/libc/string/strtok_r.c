/* The next run of bytes that are not in a set; *rest is where the next call goes on. */
#include "brawn_string.h"

PUBLIC char *NAME(strtok_r)(char *restrict s, const char *restrict set, char **restrict rest);
size_t NAME(strspn)(const char *s, const char *set);
size_t NAME(strcspn)(const char *s, const char *set);

char *NAME(strtok_r)(char *restrict s, const char *restrict set, char **restrict rest) {
    if (s == NULL && (s = *rest) == NULL) {
        return NULL;
    }
    s += NAME(strspn)(s, set);
    if (*s == 0) {
        *rest = NULL;
        return NULL;
    }
    char *const end = s + NAME(strcspn)(s, set);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = NULL;
    }
    return s;
}
