/* In place of the compiler's: the same operations, and each write is counted with its cache line. */
#ifndef BRAWN_COUNT_STDATOMIC_H
#define BRAWN_COUNT_STDATOMIC_H

#define memory_order_relaxed __ATOMIC_RELAXED
#define memory_order_acquire __ATOMIC_ACQUIRE
#define memory_order_release __ATOMIC_RELEASE
#define memory_order_acq_rel __ATOMIC_ACQ_REL
#define memory_order_seq_cst __ATOMIC_SEQ_CST

#define _Atomic(type) type

void count_write(const volatile void *place);
void count_lock(const volatile void *place, int taken);

#define atomic_load_explicit(place, order) __atomic_load_n(place, order)
#define atomic_store_explicit(place, value, order)                                                           \
    (count_write(place), (__atomic_store_n)(place, value, order))
#define atomic_exchange_explicit(place, value, order)                                                        \
    (count_write(place), __atomic_exchange_n(place, value, order))
#define atomic_fetch_add_explicit(place, value, order)                                                       \
    (count_write(place), __atomic_fetch_add(place, value, order))
#define atomic_fetch_sub_explicit(place, value, order)                                                       \
    (count_write(place), __atomic_fetch_sub(place, value, order))
#define atomic_fetch_or_explicit(place, value, order)                                                        \
    (count_write(place), __atomic_fetch_or(place, value, order))
#define atomic_fetch_and_explicit(place, value, order)                                                       \
    (count_write(place), __atomic_fetch_and(place, value, order))
#define atomic_compare_exchange_strong_explicit(place, expected, value, order, failure)                      \
    ({                                                                                                       \
        const int done_ = (__atomic_compare_exchange_n)(place, expected, value, 0, order, failure);          \
        count_lock(place, done_);                                                                            \
        done_;                                                                                               \
    })
#define atomic_compare_exchange_weak_explicit(place, expected, value, order, failure)                        \
    (count_write(place), (__atomic_compare_exchange_n)(place, expected, value, 1, order, failure))
#define atomic_load(place) atomic_load_explicit(place, memory_order_seq_cst)
#define atomic_store(place, value) atomic_store_explicit(place, value, memory_order_seq_cst)
#define atomic_compare_exchange_strong(place, expected, value)                                               \
    atomic_compare_exchange_strong_explicit(place, expected, value, memory_order_seq_cst,                    \
                                            memory_order_seq_cst)
#define atomic_signal_fence(order) __atomic_signal_fence(order)

/* The masks of mallocng's groups, which the front changes by the compiler's own operations. */
#define __atomic_compare_exchange_n(place, expected, value, weak, order, failure)                            \
    atomic_compare_exchange_weak_explicit(place, expected, value, order, failure)
#define __atomic_store_n(place, value, order) atomic_store_explicit(place, value, order)

#endif
