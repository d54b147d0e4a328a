/* 16 bytes of Advanced SIMD, which every aarch64 CPU has. There is no movemask: narrowing each pair of bytes
 * by four bits gives a mask with four bits a byte. */

#include <arm_neon.h>

typedef uint8x16_t vec_neon;
typedef uint8x16_t vec_test_neon;
typedef uint64_t vec_mask_neon;

INLINE vec_neon vec_load_neon(const void *p) {
    return vld1q_u8(p);
}
INLINE vec_neon vec_load_aligned_neon(const void *p) {
    return vld1q_u8(p);
}
INLINE void vec_store_neon(void *p, vec_neon a) {
    vst1q_u8(p, a);
}
INLINE void vec_store_aligned_neon(void *p, vec_neon a) {
    vst1q_u8(p, a);
}
INLINE vec_neon vec_fill_neon(unsigned char byte) {
    return vdupq_n_u8(byte);
}
INLINE vec_neon vec_zero_neon(void) {
    return vdupq_n_u8(0);
}
INLINE vec_neon vec_min_neon(vec_neon a, vec_neon b) {
    return vminq_u8(a, b);
}
INLINE vec_neon vec_and_neon(vec_neon a, vec_neon b) {
    return vandq_u8(a, b);
}
INLINE vec_neon vec_or_neon(vec_neon a, vec_neon b) {
    return vorrq_u8(a, b);
}
INLINE vec_neon vec_xor_neon(vec_neon a, vec_neon b) {
    return veorq_u8(a, b);
}
INLINE vec_test_neon vec_equal_neon(vec_neon a, vec_neon b) {
    return vceqq_u8(a, b);
}
INLINE vec_test_neon vec_unequal_neon(vec_neon a, vec_neon b) {
    return vmvnq_u8(vceqq_u8(a, b));
}
INLINE vec_test_neon vec_null_neon(vec_neon a) {
    return vceqzq_u8(a);
}
INLINE vec_test_neon test_or_neon(vec_test_neon a, vec_test_neon b) {
    return vorrq_u8(a, b);
}
INLINE vec_test_neon test_and_neon(vec_test_neon a, vec_test_neon b) {
    return vandq_u8(a, b);
}
INLINE vec_mask_neon vec_mask_of_neon(vec_test_neon a) {
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(a), 4)), 0);
}
INLINE bool test_any_neon(vec_test_neon a) {
    return vec_mask_of_neon(a) != 0;
}
INLINE bool test_all_neon(vec_test_neon a) {
    return vec_mask_of_neon(a) == UINT64_MAX;
}
INLINE vec_test_neon test_not_neon(vec_test_neon a) {
    return vmvnq_u8(a);
}
INLINE size_t mask_first_neon(vec_mask_neon mask) {
    return (unsigned)__builtin_ctzll(mask) >> 2;
}
INLINE size_t mask_last_neon(vec_mask_neon mask) {
    return (63u ^ (unsigned)__builtin_clzll(mask)) >> 2;
}
INLINE vec_mask_neon mask_after_neon(vec_mask_neon mask, size_t n) {
    return mask >> (4 * n);
}
INLINE vec_mask_neon mask_before_neon(vec_mask_neon mask, size_t n) {
    return n >= 16 ? mask : mask & ((UINT64_C(1) << (4 * n)) - 1);
}

/* Wide characters: sixteen bits of the mask a lane. */

typedef uint8x16_t wide_test_neon;
typedef uint64_t wide_mask_neon;

INLINE vec_neon wide_fill_neon(uint32_t character) {
    return vreinterpretq_u8_u32(vdupq_n_u32(character));
}
INLINE vec_neon wide_min_neon(vec_neon a, vec_neon b) {
    return vreinterpretq_u8_u32(vminq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}
INLINE wide_test_neon wide_equal_neon(vec_neon a, vec_neon b) {
    return vreinterpretq_u8_u32(vceqq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}
INLINE wide_test_neon wide_unequal_neon(vec_neon a, vec_neon b) {
    return vmvnq_u8(vreinterpretq_u8_u32(vceqq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b))));
}
INLINE wide_test_neon wide_null_neon(vec_neon a) {
    return vreinterpretq_u8_u32(vceqzq_u32(vreinterpretq_u32_u8(a)));
}
INLINE wide_test_neon wide_test_or_neon(wide_test_neon a, wide_test_neon b) {
    return vorrq_u8(a, b);
}
INLINE bool wide_test_any_neon(wide_test_neon a) {
    return vec_mask_of_neon(a) != 0;
}
INLINE wide_mask_neon wide_mask_of_neon(wide_test_neon a) {
    return vec_mask_of_neon(a);
}
INLINE size_t wide_mask_first_neon(wide_mask_neon mask) {
    return (unsigned)__builtin_ctzll(mask) >> 4;
}
INLINE size_t wide_mask_last_neon(wide_mask_neon mask) {
    return (63u ^ (unsigned)__builtin_clzll(mask)) >> 4;
}
INLINE wide_mask_neon wide_mask_after_neon(wide_mask_neon mask, size_t n) {
    return mask >> (16 * n);
}

/* For blocks that may be read again at once. */

typedef uint8x16_t short_vec_neon;

INLINE short_vec_neon short_load_neon(const void *p) {
    return vld1q_u8(p);
}
INLINE void short_store_neon(void *p, short_vec_neon a) {
    vst1q_u8(p, a);
}
