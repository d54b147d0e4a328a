/* In place of the compiler's: every atomic operation is a step of the model's scheduler, which may let
 * another thread go on before it. Memory is sequentially consistent here; what weaker orders allow is for the
 * thread sanitizer to say (../race.c).
 *
 * FLAW_… plant the mistakes by which the model is tested. */
#ifndef BRAWN_MODEL_STDATOMIC_H
#define BRAWN_MODEL_STDATOMIC_H

#include "model.h"

#define _Atomic(type) type

typedef enum {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
} memory_order;

#ifdef FLAW_TORN_OPERATIONS
#define MODEL_TEAR(place) model_step(place)
#else
#define MODEL_TEAR(place) (void)0
#endif

#define MODEL_UPDATE(place, expression)                                                                      \
    ({                                                                                                       \
        __typeof__(place) place_ = (place);                                                                  \
        model_step(place_);                                                                                  \
        const __typeof__(*place_) before_ = *place_;                                                         \
        MODEL_TEAR(place_);                                                                                  \
        *place_ = (expression);                                                                              \
        before_;                                                                                             \
    })

#define atomic_load_explicit(place, order) (model_step(place), *(place))
#define atomic_store_explicit(place, value, order)                                                           \
    ({                                                                                                       \
        const __typeof__(*(place)) value_ = (value);                                                         \
        model_step(place);                                                                                   \
        *(place) = value_;                                                                                   \
    })
#define atomic_exchange_explicit(place, value, order) MODEL_UPDATE(place, (value))
#define atomic_fetch_add_explicit(place, value, order) MODEL_UPDATE(place, before_ + (value))
#define atomic_fetch_sub_explicit(place, value, order) MODEL_UPDATE(place, before_ - (value))
#define atomic_fetch_or_explicit(place, value, order) MODEL_UPDATE(place, before_ | (value))
#define atomic_fetch_and_explicit(place, value, order) MODEL_UPDATE(place, before_ &(value))
#define atomic_compare_exchange_strong_explicit(place, expected, value, order, failure)                      \
    ({                                                                                                       \
        __typeof__(place) place_ = (place);                                                                  \
        __typeof__(expected) expected_ = (expected);                                                         \
        model_step(place_);                                                                                  \
        const bool equal_ = *place_ == *expected_;                                                           \
        MODEL_TEAR(place_);                                                                                  \
        if (equal_) {                                                                                        \
            *place_ = (value);                                                                               \
        } else {                                                                                             \
            *expected_ = *place_;                                                                            \
        }                                                                                                    \
        equal_;                                                                                              \
    })

#define atomic_load(place) atomic_load_explicit(place, memory_order_seq_cst)
#define atomic_store(place, value) atomic_store_explicit(place, value, memory_order_seq_cst)
#define atomic_exchange(place, value) atomic_exchange_explicit(place, value, memory_order_seq_cst)
#define atomic_fetch_add(place, value) atomic_fetch_add_explicit(place, value, memory_order_seq_cst)
#define atomic_fetch_sub(place, value) atomic_fetch_sub_explicit(place, value, memory_order_seq_cst)
#define atomic_compare_exchange_strong(place, expected, value)                                               \
    atomic_compare_exchange_strong_explicit(place, expected, value, memory_order_seq_cst,                    \
                                            memory_order_seq_cst)
#define atomic_compare_exchange_weak_explicit atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_weak atomic_compare_exchange_strong
#define atomic_thread_fence(order) ((void)0)
#define atomic_signal_fence(order) ((void)0)

#endif
