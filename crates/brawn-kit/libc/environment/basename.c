/* basename of POSIX: slashes at the end are cut off, and what is behind the last one left is the answer. */

#include "path.h"

PUBLIC char *basename(char *path);

char *basename(char *path) {
    if (!path || !*path) {
        return (char *)".";
    }
    struct ends ends = ends_of(path);
    if (UNLIKELY(ends.last == ends.length)) {
        while (ends.length > 1 && path[ends.length - 1] == '/') {
            path[--ends.length] = 0;
        }
        /* Of slashes alone the first is the answer. */
        ends.last = last_slash(path, ends.length - 1);
    }
    return path + ends.last;
}

WEAK_ALIAS(char *, __xpg_basename, basename, (char *path));
