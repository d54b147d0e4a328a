/* The memory functions under test. */
#ifndef BRAWN_FUNCTIONS_MEMORY_H
#define BRAWN_FUNCTIONS_MEMORY_H

#include <stddef.h>
#include <sys/types.h>
#include <wchar.h>

int brawn_bcmp(const void *, const void *, size_t);
void brawn_bzero(void *, size_t);
void brawn_explicit_bzero(void *, size_t);
void *brawn_memccpy(void *, const void *, int, size_t);
void *brawn_memchr(const void *, int, size_t);
int brawn_memcmp(const void *, const void *, size_t);
void *brawn_memcpy(void *, const void *, size_t);
void *brawn___memcpy_fwd(void *, const void *, size_t);
void *brawn_memmem(const void *, size_t, const void *, size_t);
void *brawn_memmove(void *, const void *, size_t);
void *brawn_mempcpy(void *, const void *, size_t);
void *brawn_memrchr(const void *, int, size_t);
void *brawn___memrchr(const void *, int, size_t);
void *brawn_memset(void *, int, size_t);
void brawn_swab(const void *, void *, ssize_t);
wchar_t *brawn_wmemchr(const wchar_t *, wchar_t, size_t);
int brawn_wmemcmp(const wchar_t *, const wchar_t *, size_t);
wchar_t *brawn_wmemcpy(wchar_t *, const wchar_t *, size_t);
wchar_t *brawn_wmemmove(wchar_t *, const wchar_t *, size_t);
wchar_t *brawn_wmemset(wchar_t *, wchar_t, size_t);

#endif
