/* One text for a function on bytes and its twin on wide characters: `lane_` names stand for the vec_ names,
 * or for the wide_ names where the file has defined LANES_WIDE. LANES is how many fit into a vector. */
#ifndef BRAWN_CHARACTERS_H
#define BRAWN_CHARACTERS_H

#ifdef LANES_WIDE
#define LANES WIDE
#define lane uint32_t
#define lane_test wide_test
#define lane_mask wide_mask
#define lane_fill wide_fill
#define lane_min wide_min
#define lane_equal wide_equal
#define lane_unequal wide_unequal
#define lane_null wide_null
#define lane_test_or wide_test_or
#define lane_test_any wide_test_any
#define lane_mask_of wide_mask_of
#define lane_mask_first wide_mask_first
#define lane_mask_last wide_mask_last
#define lane_mask_after wide_mask_after
#else
#define LANES VEC
#define lane unsigned char
#define lane_test vec_test
#define lane_mask vec_mask
#define lane_fill vec_fill
#define lane_min vec_min
#define lane_equal vec_equal
#define lane_unequal vec_unequal
#define lane_null vec_null
#define lane_test_or test_or
#define lane_test_any test_any
#define lane_mask_of vec_mask_of
#define lane_mask_first mask_first
#define lane_mask_last mask_last
#define lane_mask_after mask_after
#endif

#endif
