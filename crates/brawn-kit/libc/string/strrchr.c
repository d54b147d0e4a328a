/* Last place of a character, or a null pointer: strrfind.h. */
#include "strrfind.h"

PUBLIC char *NAME(strrchr)(const char *s, int c);

OVER_READS char *NAME(strrchr)(const char *s, int c) {
    return find_last((const lane *)s, (unsigned char)c);
}
