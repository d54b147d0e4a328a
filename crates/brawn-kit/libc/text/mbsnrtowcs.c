/* mbsnrtowcs. What begins within a character, what is only counted, and bytes are musl's, which goes through mbsrtowcs. */

#include "text.h"

#pragma GCC visibility push(default)
size_t mbsnrtowcs(wchar_t *restrict to, const char **restrict from, size_t bytes, size_t n,
                  mbstate_t *restrict state);
size_t __brawn_musl_mbsnrtowcs(wchar_t *restrict to, const char **restrict from, size_t bytes, size_t n,
                               mbstate_t *restrict state);
#pragma GCC visibility pop

size_t mbsnrtowcs(wchar_t *restrict to, const char **restrict from, size_t bytes, size_t n,
                  mbstate_t *restrict state) {
    const uint8_t *s = (const uint8_t *)*from;
    if (to == NULL || s == NULL || state == NULL || *(const unsigned *)state != 0 ||
        bytes > UINTPTR_MAX - (uintptr_t)s || __ctype_get_mb_cur_max() == 1) {
        return __brawn_musl_mbsnrtowcs(to, from, bytes, n, state);
    }
    const size_t done = __brawn_utf8_widen((uint32_t *)to, &s, n, s + bytes);
    *from = (const char *)s;
    return done;
}
