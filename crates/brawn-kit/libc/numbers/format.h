#ifndef BRAWN_FORMAT_H
#define BRAWN_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

enum { MUSLS = -1 };

/* As vsnprintf, or MUSLS if it is not in what this can: then nothing is known of the `n` bytes at `s`, and errno is as it
 * was. */
__attribute__((visibility("hidden"))) int __brawn_format(char *restrict s, size_t n,
                                                         const char *restrict format, va_list ap);

#endif
