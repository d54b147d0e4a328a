/* The string functions under test. */
#ifndef BRAWN_FUNCTIONS_STRING_H
#define BRAWN_FUNCTIONS_STRING_H

#include <locale.h>
#include <stddef.h>
#include <wchar.h>

size_t brawn_strlen(const char *);
size_t brawn_strnlen(const char *, size_t);
char *brawn_strcpy(char *, const char *);
char *brawn_stpcpy(char *, const char *);
char *brawn___stpcpy(char *, const char *);
char *brawn_strncpy(char *, const char *, size_t);
char *brawn_stpncpy(char *, const char *, size_t);
char *brawn___stpncpy(char *, const char *, size_t);
char *brawn_strcat(char *, const char *);
char *brawn_strncat(char *, const char *, size_t);
size_t brawn_strlcpy(char *, const char *, size_t);
size_t brawn_strlcat(char *, const char *, size_t);
int brawn_strcmp(const char *, const char *);
int brawn_strncmp(const char *, const char *, size_t);
int brawn_strcasecmp(const char *, const char *);
int brawn_strncasecmp(const char *, const char *, size_t);
int brawn_strcasecmp_l(const char *, const char *, void *);
int brawn___strcasecmp_l(const char *, const char *, void *);
int brawn_strncasecmp_l(const char *, const char *, size_t, void *);
int brawn___strncasecmp_l(const char *, const char *, size_t, void *);
char *brawn_strchr(const char *, int);
char *brawn_strchrnul(const char *, int);
char *brawn___strchrnul(const char *, int);
char *brawn_strrchr(const char *, int);
char *brawn_strstr(const char *, const char *);
char *brawn_strcasestr(const char *, const char *);
size_t brawn_strspn(const char *, const char *);
size_t brawn_strcspn(const char *, const char *);
char *brawn_strpbrk(const char *, const char *);
char *brawn_strsep(char **, const char *);
char *brawn_strtok_r(char *, const char *, char **);
char *brawn_strdup(const char *);
char *brawn_strndup(const char *, size_t);
wchar_t *brawn_wcsdup(const wchar_t *);
size_t brawn_wcslen(const wchar_t *);
size_t brawn_wcsnlen(const wchar_t *, size_t);
wchar_t *brawn_wcscpy(wchar_t *, const wchar_t *);
int brawn_wcscmp(const wchar_t *, const wchar_t *);
int brawn_wcsncmp(const wchar_t *, const wchar_t *, size_t);
wchar_t *brawn_wcschr(const wchar_t *, wchar_t);
wchar_t *brawn_wcsrchr(const wchar_t *, wchar_t);

#endif
