// First throws in many threads at once, for the thread sanitizer: through functions of which more than the unwinder keeps rows,
// and backtraces. A few only, as each throw leaves entries in the sanitizer's own record of the stack. Prints "whole".

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <unwind.h>

namespace {

enum { THREADS = 8, THROWS = 100, DEPTH = 40, TOWERS = 30 };

pthread_barrier_t start;

struct Mark {
    int *count;
    ~Mark() {
        ++*count;
    }
};

template <int N> __attribute__((noinline)) void down(int *count) {
    Mark mark{count};
    if constexpr (N % DEPTH == 0) {
        throw std::runtime_error("the end");
    } else {
        down<N - 1>(count);
    }
    __asm__ volatile("" : : "r"(&mark) : "memory");
}

template <int TOWER> void climb(int tower, int *count) {
    if constexpr (TOWER > 0) {
        if (tower < TOWER) {
            return climb<TOWER - 1>(tower, count);
        }
    }
    down<TOWER * DEPTH + DEPTH - 1>(count);
}

_Unwind_Reason_Code next(struct _Unwind_Context *context, void *count) {
    *static_cast<int *>(count) += _Unwind_GetIP(context) != 0;
    return _URC_NO_REASON;
}

void *run(void *number) {
    pthread_barrier_wait(&start);
    for (int i = 0; i < THROWS; i++) {
        int left = 0, frames = 0;
        bool caught = false;
        try {
            climb<TOWERS - 1>(static_cast<int>((i * 7 + reinterpret_cast<long>(number) / 2) % TOWERS), &left);
        } catch (const std::runtime_error &) {
            caught = true;
        }
        _Unwind_Backtrace(next, &frames);
        if (!caught || left != DEPTH || frames == 0) {
            std::printf("left %d, %d frames\n", left, frames);
            std::exit(1);
        }
    }
    return nullptr;
}

} // namespace

int main() {
    pthread_t threads[THREADS];
    pthread_barrier_init(&start, nullptr, THREADS);
    for (long i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], nullptr, run, reinterpret_cast<void *>(i));
    }
    for (pthread_t thread : threads) {
        pthread_join(thread, nullptr);
    }
    std::puts("whole");
}
