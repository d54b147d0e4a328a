/*
 * The kit's basename and dirname, as kit_basename and kit_dirname, beside plain ones that are written as POSIX says: every
 * path of up to nine letters of three, and longer ones, at every place in a vector, against either end of a page.
 */

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

char *kit_basename(char *path);
char *kit_dirname(char *path);

enum { PAGE = 4096 };

static char *page;

static void cut_slashes(char *path) {
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = 0;
}

static const char *plain_basename(char *path) {
    if (!*path)
        return ".";
    cut_slashes(path);
    char *last = strrchr(path, '/');
    return last && last[1] ? last + 1 : path;
}

static const char *plain_dirname(char *path) {
    if (!*path)
        return ".";
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length && path[length - 1] != '/')
        length--;
    if (!length)
        return ".";
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 1 && *path == '/')
        return "/";
    path[length] = 0;
    return path;
}

static int check(const char *path, char *place) {
    char theirs[256];
    const size_t size = strlen(path) + 1;
    for (int which = 0; which < 2; which++) {
        memcpy(place, path, size);
        memcpy(theirs, path, size);
        const char *ours = which ? kit_dirname(place) : kit_basename(place);
        const char *wanted = which ? plain_dirname(theirs) : plain_basename(theirs);
        /* The answer, whether it lies in the path and where, and what was written. */
        const int inside = wanted >= theirs && wanted < theirs + size;
        if (strcmp(ours, wanted) || (inside && ours - place != wanted - theirs) ||
            memcmp(place, theirs, size)) {
            printf("%s of '%s': '%s', not '%s'\n", which ? "dirname" : "basename", path, ours, wanted);
            return 0;
        }
    }
    return 1;
}

int main(void) {
    char *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page = pages + PAGE;
    if (pages == MAP_FAILED || mprotect(page, PAGE, PROT_READ | PROT_WRITE))
        return 2;
    long paths = 0;
    for (int length = 0, all = 1; length <= 9; length++, all *= 3)
        for (int number = 0; number < all; number++, paths++) {
            char path[16] = "";
            for (int i = 0, rest = number; i < length; i++, rest /= 3)
                path[i] = "/a."[rest % 3];
            char *end = page + PAGE - length - 1, *begin = page + number % 32;
            if (!check(path, end) || !check(path, begin))
                return 1;
        }
    uint64_t state = 88172645463325252;
    for (int i = 0; i < 300000; i++, paths++) {
        char path[128];
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const size_t length = state % 100;
        uint64_t letters = state * 0x9e3779b97f4a7c15u;
        for (size_t j = 0; j < length; j++, letters = letters * 6364136223846793005u + 1)
            path[j] = "/aa\377/bc.aaaaaaaaa"[(letters >> 33) % (state % 3 ? 17 : 5)];
        path[length] = 0;
        if (!check(path, i % 2 ? page + PAGE - length - 1 : page + state / 128 % 64))
            return 1;
    }
    if (strcmp(kit_basename(NULL), ".") || strcmp(kit_dirname(NULL), "."))
        return 1;
    printf("%ld paths found, \n", paths);
    return 0;
}
