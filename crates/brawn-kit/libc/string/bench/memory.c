/* The rows of the mem and wmem families. */
#include "bench.h"

/* Functions that return nothing are declared as if they did: the loops are the same, and what they read is
 * not used. */
#define WRITTEN (t[n ? n - 1 : 0])

BENCH(void *, memcpy, (void *, const void *, size_t), (t, a, n), WRITTEN)
BENCH(void *, mempcpy, (void *, const void *, size_t), (t, a, n), WRITTEN)
BENCH(void *, memmove, (void *, const void *, size_t), (t, a, n), WRITTEN)
/* To the lower of two regions; the rows above go to the higher one. */
BENCH_AS(memcpy_r, void *, memcpy, (void *, const void *, size_t), (a, t, n), (a[n ? n - 1 : 0]))
/* Up by 16 bytes, down by 16 bytes and nowhere, as in docs/reference/suites.md. */
BENCH_AS(memmove_fw, void *, memmove, (void *, const void *, size_t), (b + 16, b, n), (b + 16)[0])
BENCH_AS(memmove_bw, void *, memmove, (void *, const void *, size_t), (a - 16, a, n), (a - 16)[0])
BENCH_AS(memmove_nop, void *, memmove, (void *, const void *, size_t), (a, a, n), a[0])
BENCH(void *, memset, (void *, int, size_t), (t, 0x5a, n), WRITTEN)
BENCH(int, memcmp, (const void *, const void *, size_t), (a, b, n), r)
BENCH(int, bcmp, (const void *, const void *, size_t), (a, b, n), r)
BENCH(void *, memchr, (const void *, int, size_t), (a, ABSENT, n), r)
BENCH(void *, memrchr, (const void *, int, size_t), (a, ABSENT, n), r)
BENCH(void *, memccpy, (void *, const void *, int, size_t), (t, a, ABSENT, n), r)
/* A needle that is not there, of letters that are. */
BENCH(void *, memmem, (const void *, size_t, const void *, size_t), (a, n, "eae", 3), r)
BENCH_AS(memmem_long, void *, memmem, (const void *, size_t, const void *, size_t),
         (a, n, "abcdefghijklmnopqrstuvwxyabcdefghijklmnopqrstuvwxx", 50), r)
BENCH(size_t, bzero, (void *, size_t), (t, n), WRITTEN)
BENCH(size_t, explicit_bzero, (void *, size_t), (t, n), WRITTEN)
BENCH(size_t, swab, (const void *, void *, ssize_t), (a, t, (ssize_t)n), WRITTEN)
BENCH(wchar_t *, wmemchr, (const wchar_t *, wchar_t, size_t), ((wchar_t *)a, ABSENT, n), r)
BENCH(int, wmemcmp, (const wchar_t *, const wchar_t *, size_t), ((wchar_t *)a, (wchar_t *)b, n), r)
BENCH(wchar_t *, wmemcpy, (wchar_t *, const wchar_t *, size_t), ((wchar_t *)t, (wchar_t *)a, n), WRITTEN)
BENCH(wchar_t *, wmemmove, (wchar_t *, const wchar_t *, size_t), ((wchar_t *)t, (wchar_t *)a, n), WRITTEN)
BENCH(wchar_t *, wmemset, (wchar_t *, wchar_t, size_t), ((wchar_t *)t, 7, n), WRITTEN)

const struct row memory_rows[] = {
    ROW(memcpy, 1, "memcpy"),       ROW(memcpy_r, 1, "memcpy"),       ROW(mempcpy, 1, "memcpy"),
    ROW(memmove, 1, "memmove"),     ROW(memmove_fw, 1, "memmove"),    ROW(memmove_bw, 1, "memmove"),
    ROW(memmove_nop, 1, "memmove"), ROW(memset, 1, "memset"),         ROW(memcmp, 1, "memcmp"),
    ROW(bcmp, 1, "memcmp"),         ROW(memchr, 1, "memcpy"),         ROW(memrchr, 1, "memcpy"),
    ROW(memccpy, 1, "memcpy"),      ROW(memmem, 1, "memcpy"),         ROW(memmem_long, 1, "memcpy"),
    ROW(bzero, 1, "memset"),        ROW(explicit_bzero, 1, "memset"), ROW(swab, 1, "memcpy"),
    ROW(wmemchr, 4, "memcpy"),      ROW(wmemcmp, 4, "memcmp"),        ROW(wmemcpy, 4, "memcpy"),
    ROW(wmemmove, 4, "memmove"),    ROW(wmemset, 4, "memset"),        {0},
};
