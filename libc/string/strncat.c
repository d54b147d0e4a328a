/* Appends at most n bytes of a string, and a null. */
#include "entry.h"
#include "few.h"
#include "text.h"
#include "text_length.h"

PUBLIC char *NAME(strncat)(char *restrict d, const char *restrict s, size_t n);
size_t NAME(strnlen)(const char *s, size_t n);
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);

OVER_READS char *NAME(strncat)(char *restrict d, const char *restrict s, size_t n) {
    char *const end = d + length_of(d);
    if (n == 0) {
        return d;
    }
    if (!crosses_page(s, VEC)) {
        const vec_mask mask = vec_mask_of(vec_null(vec_load(s)));
        const size_t length = mask ? mask_first(mask) : VEC;
        const size_t taken = length < n ? length : n;
        if (mask || n <= VEC) {
            if (taken != 0) {
                copy_few(end, s, taken);
            }
            end[taken] = 0;
            return d;
        }
    }
    /* In parts that stay in the first-level cache from the search to the copy. */
    for (char *to = end;;) {
        const size_t part = n < 8192 ? n : 8192;
        const size_t taken = NAME(strnlen)(s, part);
        NAME(memcpy)(to, s, taken);
        to += taken;
        s += taken;
        n -= taken;
        if (LIKELY(taken < part || n == 0)) {
            *to = 0;
            return d;
        }
    }
}
