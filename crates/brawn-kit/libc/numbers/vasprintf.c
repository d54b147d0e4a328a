/* vasprintf, and with it asprintf: most texts are made once, where musl makes each twice to learn its length. */

#include <stdarg.h>
#include <stddef.h>

#pragma GCC visibility push(default)
int vasprintf(char **s, const char *format, va_list ap);
int vsnprintf(char *restrict s, size_t n, const char *restrict format, va_list ap);
void *malloc(size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t n);
#pragma GCC visibility pop

int vasprintf(char **s, const char *format, va_list ap) {
    char first[256];
    va_list again;
    va_copy(again, ap);
    int length = vsnprintf(first, sizeof first, format, again);
    va_end(again);
    if (length < 0 || !(*s = malloc((size_t)length + 1))) {
        return -1;
    }
    if ((size_t)length < sizeof first) {
        memcpy(*s, first, (size_t)length + 1);
        return length;
    }
    return vsnprintf(*s, (size_t)length + 1, format, ap);
}
