/* dirname: what is before the last part of a path, without the slashes between. */

#include "path.h"

PUBLIC char *dirname(char *path);

char *dirname(char *path) {
    if (!path || !*path) {
        return (char *)".";
    }
    struct ends ends = ends_of(path);
    if (UNLIKELY(ends.last == ends.length)) {
        while (ends.length && path[ends.length - 1] == '/') {
            ends.length--;
        }
        if (!ends.length) {
            return (char *)"/";
        }
        ends.last = last_slash(path, ends.length);
    }
    if (!ends.last) {
        return (char *)".";
    }
    while (ends.last && path[ends.last - 1] == '/') {
        ends.last--;
    }
    if (!ends.last) {
        return (char *)"/";
    }
    path[ends.last] = 0;
    return path;
}
