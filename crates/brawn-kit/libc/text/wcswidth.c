/* wcswidth: ASCII without a call a character. */

#include <wchar.h>

#pragma GCC visibility push(default)
int wcswidth(const wchar_t *s, size_t n);
int wcwidth(wchar_t c);
#pragma GCC visibility pop

int wcswidth(const wchar_t *s, size_t n) {
    unsigned sum = 0;
    for (size_t i = 0; i < n && s[i] != 0; i++) {
        int width = 1;
        if ((unsigned)s[i] - 0x20 >= 0x5f && (width = wcwidth(s[i])) < 0) {
            return width;
        }
        sum += (unsigned)width;
    }
    return (int)sum;
}
