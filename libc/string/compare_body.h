/* See compare.c. */

int LEVEL_NAME(compare_long)(const unsigned char *a, const unsigned char *b, size_t bytes, bool wide) {
    COMPARE_STATE
    if (bytes <= 4 * VEC) {
        COMPARE_FOUR(vec_load, bytes > 2 * VEC ? VEC : 0, bytes > 2 * VEC ? bytes - 2 * VEC : 0, bytes - VEC)
        return 0;
    }
    const unsigned char *const end = a + bytes - 4 * VEC;
    COMPARE_FOUR(vec_load, VEC, 2 * VEC, 3 * VEC)
    if (bytes > 8 * VEC) {
        const size_t skip = 4 * VEC - ((uintptr_t)a & (VEC - 1));
        a += skip;
        b += skip;
        do {
            COMPARE_FOUR(vec_load_aligned, VEC, 2 * VEC, 3 * VEC)
            a += 4 * VEC;
            b += 4 * VEC;
        } while (a < end);
    }
    b -= a - end;
    a = end;
    COMPARE_FOUR(vec_load, VEC, 2 * VEC, 3 * VEC)
    return 0;
differs:
    COMPARE_DIFFERS
}
