/* The rows and checks of the mem and wmem families. */
#include "functions_memory.h"
#include "oracle_memory.h"
#include "test.h"

#include <string.h>

/* --- memchr, memrchr --------------------------------------------------------------------------------- */

static void check_find(const struct row *row) {
    typedef void *function(const void *, int, size_t);
    function *const ours = (function *)row->ours, *const oracle = (function *)row->oracle;
    const bool backwards = strstr(row->name, "memrchr") != NULL;
    EACH_SIZE(n, (size_t)32 << 20) {
        EACH_PLACE(p, n, 1) {
            unsigned char *const s = PLACE_A(p, SOURCE, n);
            /* 0x80 and 0x00 around 0xff and 0x01: signed and unsigned comparisons must give the same. */
            const unsigned char needle = (unsigned char)(p.b & 1 ? 0x80 : 0x00);
            for (size_t i = 0; i < n && n <= 5000; i++) {
                s[i] = (unsigned char)(needle ^ (i % 3 ? 0xff : 0x01));
            }
            if (n > 5000 && n) {
                s[0] = s[n - 1] = 0x33;
            }
            /* Neighbours outside the operand match, now and then, when they can be written. */
            const bool before = s > arenas[SOURCE].begin && p.b & 4,
                       after = s + n < arenas[SOURCE].end && p.a & 4;
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
        EACH_PLACE(p, 4 * n, 4) {
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

/* --- copies ------------------------------------------------------------------------------------------ */

/* Compares the target and 64 bytes on both sides of it, as far as the arena goes, with what is expected. */
static bool same_around(int arena, const unsigned char *target, size_t n) {
    const unsigned char *const from = target - arenas[arena].begin > 64 ? target - 64 : arenas[arena].begin;
    const unsigned char *const to =
        arenas[arena].end - (target + n) > 64 ? target + n + 64 : arenas[arena].end;
    return memcmp(from, arenas[EXPECTED].begin + (from - arenas[arena].begin), (size_t)(to - from)) == 0;
}

static unsigned char *expected_of(int arena, const unsigned char *target) {
    return arenas[EXPECTED].begin + (target - arenas[arena].begin);
}

/* Random bytes in both, the same in both. */
static void prepare_target(int arena, unsigned char *target, size_t n) {
    unsigned char *const from = target - arenas[arena].begin > 64 ? target - 64 : arenas[arena].begin;
    unsigned char *const to = arenas[arena].end - (target + n) > 64 ? target + n + 64 : arenas[arena].end;
    fill_random(from, (size_t)(to - from));
    memcpy(expected_of(arena, from), from, (size_t)(to - from));
}

typedef void *copy_function(void *, const void *, size_t);

/* Functions whose n counts wide characters have a w in front. */
static size_t unit_of(const struct row *row) {
    return row->name[0] == 'w' ? 4 : 1;
}

static void check_copy(const struct row *row) {
    copy_function *const ours = (copy_function *)row->ours;
    const size_t unit = unit_of(row);
    EACH_SIZE(count, (size_t)32 << 20) {
        const size_t n = count * unit;
        if (n > (size_t)33 << 20) {
            break;
        }
        EACH_PLACEMENT(p, n, unit) {
            unsigned char *const source = PLACE_A(p, SOURCE, n), *const target = PLACE_B(p, TARGET, n);
            fill_random(source, n);
            prepare_target(TARGET, target, n);
            memcpy(expected_of(TARGET, target), source, n);
            void *const result = ours(target, source, count);
            expect(row, result == (strcmp(row->name, "mempcpy") == 0 ? target + n : target),
                   "n %zu: returned %p", n, result);
            expect(row, same_around(TARGET, target, n), "n %zu from %p to %p: wrong bytes", n, (void *)source,
                   (void *)target);
        }
    }
}

static void check_overlap_at(const struct row *row, size_t count, unsigned char *target,
                             unsigned char *source) {
    const size_t n = count * unit_of(row);
    unsigned char *const low = target < source ? target : source;
    const size_t span = n + (size_t)(target < source ? source - target : target - source);
    prepare_target(SOURCE, low, span);
    /* The host's memmove is checked by the oracle at the small sizes. */
    if (n <= 512) {
        oracle_copy(expected_of(SOURCE, target), expected_of(SOURCE, source), n);
    } else {
        memmove(expected_of(SOURCE, target), expected_of(SOURCE, source), n);
    }
    void *const result = ((copy_function *)row->ours)(target, source, count);
    expect(row, result == target, "n %zu: returned %p", n, result);
    expect(row, same_around(SOURCE, low, span), "n %zu from %p to %p, distance %td: wrong bytes", n,
           (void *)source, (void *)target, target - source);
}

/* Both ways, distances up to 640 bytes: in the long mode every one for blocks below 140,000 bytes, of others
 * some. */
static void check_overlap(const struct row *row) {
    const size_t unit = unit_of(row);
    check_copy(row);
    EACH_SIZE(count, (size_t)(long_mode ? 32 : 1) << 20) {
        const size_t n = count * unit;
        if (n > (size_t)33 << 20) {
            break;
        }
        const bool every = long_mode ? n < 140000 : n <= 130;
        const size_t last = n < 640 ? n : n < 5000 || long_mode ? 640 : 20;
        const size_t step = (every ? 1 : n < 5000 ? 13 : long_mode ? 97 : 37) * unit;
        for (size_t distance = 0; distance <= last; distance += step) {
            const size_t offset = random_number() % 64 / unit * unit;
            unsigned char *const low = arenas[SOURCE].begin + offset;
            check_overlap_at(row, count, low, low + distance);
            check_overlap_at(row, count, low + distance, low);
            unsigned char *const high = arenas[SOURCE].end - offset - n - distance;
            check_overlap_at(row, count, high, high + distance);
            check_overlap_at(row, count, high + distance, high);
        }
        /* Nearly as far apart as they are long. */
        for (size_t less = 0; less < 3 && less < count; less++) {
            unsigned char *const low = arenas[SOURCE].begin + random_number() % 64 / unit * unit;
            check_overlap_at(row, count, low, low + n - less * unit);
            check_overlap_at(row, count, low + n - less * unit, low);
        }
    }
}

#ifdef __x86_64__
/* Overlap is undefined for it, but stock musl's own callers need it to copy forwards. */
static void check_forward(const struct row *row) {
    check_copy(row);
    for (size_t n = 1; n < 600; n++) {
        for (size_t distance = 0; distance <= n; distance += 1 + n / 40) {
            check_overlap_at(row, n, arenas[SOURCE].begin, arenas[SOURCE].begin + distance);
        }
    }
}
#endif

static void check_copy_until(const struct row *row) {
    EACH_SIZE(n, 1 << 20) {
        EACH_PLACEMENT(p, n, 1) {
            unsigned char *const source = PLACE_A(p, SOURCE, n), *const target = PLACE_B(p, TARGET, n);
            const unsigned char c = (unsigned char)(p.b & 1 ? 0 : 0xe0);
            fill_random(source, n);
            for (size_t i = 0; i < n; i++) {
                source[i] = source[i] == c ? 1 : source[i];
            }
            if (n && random_number() % 4) {
                source[random_number() % n] = source[random_number() % n] = c;
            }
            prepare_target(TARGET, target, n);
            const unsigned char *const end = oracle_memccpy(expected_of(TARGET, target), source, c, n);
            const unsigned char *const result = brawn_memccpy(target, source, c | 0x100, n);
            expect(row, result == (end ? target + (end - expected_of(TARGET, target)) : NULL),
                   "n %zu: returned %p", n, (void *)result);
            expect(row, same_around(TARGET, target, n), "n %zu: wrong bytes", n);
        }
    }
}

static void check_swab(const struct row *row) {
    EACH_SIZE(n, 1 << 17) {
        EACH_PLACEMENT(p, n, 1) {
            unsigned char *const source = PLACE_A(p, SOURCE, n), *const target = PLACE_B(p, TARGET, n);
            fill_random(source, n);
            prepare_target(TARGET, target, n);
            oracle_swab(source, expected_of(TARGET, target), (ptrdiff_t)n);
            brawn_swab(source, target, (ssize_t)n);
            expect(row, same_around(TARGET, target, n), "n %zu: wrong bytes", n);
        }
    }
    prepare_target(TARGET, arenas[TARGET].begin, 64);
    brawn_swab(arenas[SOURCE].begin, arenas[TARGET].begin, -3);
    expect(row, same_around(TARGET, arenas[TARGET].begin, 64), "n -3: wrote something");
}

/* --- fills ------------------------------------------------------------------------------------------- */

static void check_set(const struct row *row) {
    const bool zero = strstr(row->name, "bzero") != NULL, wide = row->name[0] == 'w';
    const size_t unit = wide ? 4 : 1;
    EACH_SIZE(count, (size_t)32 << 20) {
        const size_t n = count * unit;
        if (n > (size_t)33 << 20) {
            break;
        }
        EACH_PLACE(p, n, unit) {
            unsigned char *const target = PLACE_A(p, TARGET, n);
            prepare_target(TARGET, target, n);
            const uint32_t c = zero ? 0 : random_number();
            unsigned char *const expected = expected_of(TARGET, target);
            void *result = target;
            if (wide) {
                for (size_t i = 0; i < count; i++) {
                    ((uint32_t *)(void *)expected)[i] = c;
                }
                result = brawn_wmemset((wchar_t *)(void *)target, (wchar_t)c, count);
            } else {
                oracle_set(expected, (unsigned char)c, n);
                if (zero) {
                    ((void (*)(void *, size_t))row->ours)(target, n);
                } else {
                    result = brawn_memset(target, (int)c, n);
                }
            }
            expect(row, result == target, "n %zu: returned %p", n, result);
            expect(row, same_around(TARGET, target, n), "n %zu at %p: wrong bytes", n, (void *)target);
        }
    }
}

/* --- comparisons ------------------------------------------------------------------------------------- */

static int sign(int value) {
    return (value > 0) - (value < 0);
}

static void check_compare(const struct row *row) {
    typedef int function(const void *, const void *, size_t);
    function *const ours = (function *)row->ours, *const oracle = (function *)row->oracle;
    const bool equality = row->name[0] == 'b';
    const size_t unit = unit_of(row);
    EACH_SIZE(count, (size_t)32 << 20) {
        const size_t n = count * unit;
        if (n > (size_t)33 << 20) {
            break;
        }
        EACH_PLACEMENT(p, n, unit) {
            unsigned char *const a = PLACE_A(p, SOURCE, n), *const b = PLACE_B(p, TARGET, n);
            fill_random(a, n);
            memcpy(b, a, n);
            /* What lies behind the operands differs. */
            if (a + n < arenas[SOURCE].end && b + n < arenas[TARGET].end) {
                b[n] = (unsigned char)~a[n];
            }
            expect(row, ours(a, b, count) == 0, "n %zu: equal operands differ", n);
            for (int change = 0; change < contents(3, n) && n; change++) {
                /* A later difference, of the opposite sign perhaps, must not count. */
                b[random_number() % n] ^= (unsigned char)(1u << random_number() % 8);
                const int result = ours(a, b, count), wanted = oracle(a, b, count);
                expect(row, equality ? !result == !wanted : sign(result) == wanted,
                       "n %zu at %p, %p: %d, not %d", n, (void *)a, (void *)b, result, wanted);
                expect(row, equality || sign(ours(b, a, count)) == -wanted, "n %zu: not antisymmetric", n);
            }
        }
    }
}

/* --- searching --------------------------------------------------------------------------------------- */

static void check_search(const struct row *row) {
    EACH_SIZE(n, 1 << 17) {
        if (n > 5000 && !long_mode && n % 4096 > 1) {
            continue;
        }
        EACH_PLACEMENT(p, n < 5000 ? n : n + 5001, 1) {
            unsigned char *const s = PLACE_A(p, SOURCE, n);
            /* Few letters, so that candidates are many; periodic now and then. */
            const unsigned letters = 2 + p.a % 3, period = p.b % 5 ? 0 : 1 + (unsigned)(p.a % 7);
            for (size_t i = 0; i < n; i++) {
                s[i] =
                    (unsigned char)(period && i >= period ? s[i - period] : 0x80 - random_number() % letters);
            }
            const size_t longest = n < 60 ? n + 1 : random_number() & 1 ? 12 : n;
            const size_t length = random_number() % (longest + 1);
            unsigned char *const needle = PLACE_B(p, TARGET, length);
            if (length <= n) {
                memcpy(needle, s + random_number() % (n - length + 1), length);
            } else {
                fill_random(needle, length);
            }
            if (length && random_number() % 2) {
                needle[random_number() % length] = (unsigned char)(0x80 - random_number() % letters);
            }
            expect(row, brawn_memmem(s, n, needle, length) == oracle_memmem(s, n, needle, length),
                   "n %zu, needle %zu at %p, %p", n, length, (void *)s, (void *)needle);
        }
    }
    /* What makes a filter by two bytes quadratic: it must end, and be right. */
    const size_t n = (size_t)1 << 22, length = (size_t)1 << 15;
    unsigned char *const s = arenas[SOURCE].begin, *const needle = arenas[TARGET].begin;
    memset(s, 'a', n);
    memset(needle, 'a', length);
    needle[length / 2] = 'b';
    expect(row, brawn_memmem(s, n, needle, length) == NULL, "found what is not there");
    s[n - length + length / 2] = 'b';
    expect(row, brawn_memmem(s, n, needle, length) == s + n - length, "missed the end");
}

const struct row memory_rows[] = {
    ROW(memchr, check_find),
    ROW(memrchr, check_find),
    {"__memrchr", check_find, (any_function *)brawn___memrchr, (any_function *)oracle_memrchr},
    ROW(wmemchr, check_find_wide),
    {"memcpy", check_copy, (any_function *)brawn_memcpy, (any_function *)oracle_copy},
    {"mempcpy", check_copy, (any_function *)brawn_mempcpy, (any_function *)oracle_copy},
    {"wmemcpy", check_copy, (any_function *)brawn_wmemcpy, (any_function *)oracle_copy},
#ifdef __x86_64__
    {"__memcpy_fwd", check_forward, (any_function *)brawn___memcpy_fwd, (any_function *)oracle_copy},
#endif
    {"memmove", check_overlap, (any_function *)brawn_memmove, (any_function *)oracle_copy},
    {"wmemmove", check_overlap, (any_function *)brawn_wmemmove, (any_function *)oracle_copy},
    ROW(memccpy, check_copy_until),
    ROW(swab, check_swab),
    {"memset", check_set, (any_function *)brawn_memset, (any_function *)oracle_set},
    {"bzero", check_set, (any_function *)brawn_bzero, (any_function *)oracle_set},
    {"explicit_bzero", check_set, (any_function *)brawn_explicit_bzero, (any_function *)oracle_set},
    {"wmemset", check_set, (any_function *)brawn_wmemset, (any_function *)oracle_set},
    ROW(memcmp, check_compare),
    {"bcmp", check_compare, (any_function *)brawn_bcmp, (any_function *)oracle_memcmp},
    ROW(wmemcmp, check_compare),
    ROW(memmem, check_search),
    {0},
};
