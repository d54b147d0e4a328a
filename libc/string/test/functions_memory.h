/* The memory functions under test. */
#ifndef BRAWN_FUNCTIONS_MEMORY_H
#define BRAWN_FUNCTIONS_MEMORY_H

#include <stddef.h>
#include <wchar.h>

void *brawn_memchr(const void *, int, size_t);
wchar_t *brawn_wmemchr(const wchar_t *, wchar_t, size_t);

#endif
