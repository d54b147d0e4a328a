/* What follows the first 64 bytes of strcpy, stpcpy and strcat: strcpy_long.c. */

HIDDEN char *NAME(__brawn_strcpy_long)(char *d, const char *s, char *result);

INLINE lane *copy_long(lane *d, const lane *s, lane *result) {
    return (lane *)NAME(__brawn_strcpy_long)((char *)d, (const char *)s, (char *)result);
}
