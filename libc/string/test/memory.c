/* The rows and checks of the mem and wmem families. */
#include "functions_memory.h"
#include "oracle_memory.h"
#include "test.h"

/* --- memchr, memrchr
 * ---------------------------------------------------------------------------------------- */

static void check_find(const struct row *row) {
    typedef void *function(const void *, int, size_t);
    function *const ours = (function *)row->ours, *const oracle = (function *)row->oracle;
    const bool backwards = row->name[3] == 'r';
    EACH_SIZE(n, (size_t)32 << 20) {
        EACH_PLACEMENT(p, n, 1) {
            unsigned char *const s = PLACE_A(p, SOURCE, n);
            /* 0x80 and 0x00 around 0xff and 0x01: signed and unsigned comparisons must give the same. */
            const unsigned char needle = (unsigned char)(p.b & 1 ? 0x80 : 0x00);
            for (size_t i = 0; i < n && n <= 5000; i++) {
                s[i] = (unsigned char)(needle ^ (i % 3 ? 0xff : 0x01));
            }
            if (n > 5000 && n) {
                s[0] = s[n - 1] = 0x33;
            }
            /* Neighbours outside the operand match, when they can be written. */
            const bool before = s > arenas[SOURCE].begin, after = s + n < arenas[SOURCE].end;
            const unsigned char saved_before = before ? s[-1] : 0, saved_after = after ? s[n] : 0;
            if (before) {
                s[-1] = needle;
            }
            if (after) {
                s[n] = needle;
            }
            const int argument = p.b & 2 ? needle | ~0xff : needle;
            if (n <= 5000) {
                expect(row, ours(s, argument, n) == NULL, "n %zu at %p: found what is not there", n,
                       (void *)s);
            }
            if (n) {
                const size_t first = random_number() % n, second = random_number() % n;
                const unsigned char saved_first = s[first], saved_second = s[second];
                s[first] = s[second] = n > 5000 ? 0x55 : needle;
                const int wanted = n > 5000 ? 0x55 : argument;
                expect(row, ours(s, wanted, n) == oracle(s, wanted, n), "n %zu at %p, matches at %zu and %zu",
                       n, (void *)s, first, second);
                /* A match lets n go past the end of the object. */
                if (!backwards && n <= 5000) {
                    expect(row, ours(s, wanted, SIZE_MAX) == oracle(s, wanted, n), "n SIZE_MAX at %p",
                           (void *)s);
                }
                s[second] = saved_second;
                s[first] = saved_first;
            }
            if (before) {
                s[-1] = saved_before;
            }
            if (after) {
                s[n] = saved_after;
            }
        }
    }
}

static void check_find_wide(const struct row *row) {
    EACH_SIZE(n, 1 << 20) {
        EACH_PLACEMENT(p, 4 * n, 4) {
            wchar_t *const s = (wchar_t *)PLACE_A(p, SOURCE, 4 * n);
            /* Lanes that share three of four bytes with the needle. */
            const wchar_t needle = p.b & 4 ? (wchar_t)0x80000001 : 0x01000000;
            for (size_t i = 0; i < n; i++) {
                s[i] = needle ^ (wchar_t)(1u << i % 32);
            }
            const bool before = (unsigned char *)s > arenas[SOURCE].begin,
                       after = (unsigned char *)(s + n) < arenas[SOURCE].end;
            if (before) {
                s[-1] = needle;
            }
            if (after) {
                s[n] = needle;
            }
            expect(row, brawn_wmemchr(s, needle, n) == NULL, "n %zu at %p: found what is not there", n,
                   (void *)s);
            if (n) {
                s[random_number() % n] = s[random_number() % n] = needle;
                expect(row, brawn_wmemchr(s, needle, n) == oracle_wmemchr(s, needle, n), "n %zu at %p", n,
                       (void *)s);
                expect(row, brawn_wmemchr(s, needle, SIZE_MAX) == oracle_wmemchr(s, needle, n),
                       "n SIZE_MAX at %p", (void *)s);
            }
        }
    }
}

const struct row memory_rows[] = {
    ROW(memchr, check_find),
    ROW(wmemchr, check_find_wide),
    {0},
};
