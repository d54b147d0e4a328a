/* For strrfind.h and strrfind_long.h. Include it after text.h. */
#ifndef BRAWN_LAST_OF_H
#define BRAWN_LAST_OF_H

/* Looks at one vector at p that has the character or the null. At the end of the string returns true, with
 * the answer in *last. */
INLINE bool last_of(const lane *p, vec v, vec wanted, const lane **last) {
    lane_mask mask = lane_mask_of(lane_equal(v, wanted));
    const lane_mask ends = lane_mask_of(lane_null(v));
    if (ends) {
        mask &= ends ^ (ends - 1);
    }
    if (mask) {
        BRANCH();
        *last = p + lane_mask_last(mask);
    }
    return ends != 0;
}

#endif
