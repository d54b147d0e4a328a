// Exceptions of C++, a program of its own: where the C library's other rows can be had, there may be no C++.

#include <pthread.h>
#include <stdexcept>

#include "rows.h"

namespace {

// Something to clean up in every frame.
struct Guard {
    uint64_t &count;
    ~Guard() {
        count++;
    }
};

__attribute__((noinline)) uint64_t thrown(unsigned depth, uint64_t &count) {
    Guard guard{count};
    __asm__ volatile("" : "+r"(depth));
    if (depth > 1)
        return thrown(depth - 1, count) + 1;
    throw std::runtime_error("a record that cannot be read");
}

uint64_t caught(unsigned depth) {
    uint64_t count = 0;
    try {
        return thrown(depth, count);
    } catch (const std::exception &error) {
        return count + text(error.what());
    }
}

// Past handlers that are for another type.
__attribute__((noinline)) uint64_t passed(unsigned depth) {
    __asm__ volatile("" : "+r"(depth));
    try {
        if (depth > 1)
            return passed(depth - 1) + 1;
        throw 7;
    } catch (const std::exception &) {
        return 0;
    }
}

uint64_t number() {
    try {
        return passed(10);
    } catch (int thrown) {
        return static_cast<uint64_t>(thrown);
    }
}

uint64_t again() {
    uint64_t count = 0;
    try {
        try {
            return thrown(5, count);
        } catch (...) {
            throw;
        }
    } catch (const std::runtime_error &) {
        return count;
    }
}

CALLS(throw_1, caught(1))
CALLS(throw_5, caught(5))
CALLS(throw_10, caught(10))
CALLS(throw_50, caught(50))
CALLS(throw_number, number())
CALLS(throw_again, again())

struct Racer {
    pthread_t thread;
    uint64_t answer;
    double begun, ended;
};

pthread_barrier_t start;
uint64_t share;

void *run(void *argument) {
    Racer *racer = static_cast<Racer *>(argument);
    pthread_barrier_wait(&start);
    racer->begun = now();
    racer->answer = throw_10(share);
    racer->ended = now();
    return nullptr;
}

// Threads that throw at the same time. A throw's time is that of all over the throws of all.
uint64_t race(unsigned threads, uint64_t times) {
    Racer racers[8];
    uint64_t answer = 0;
    double begun = 0, ended = 0;
    share = (times + threads - 1) / threads;
    pthread_barrier_init(&start, nullptr, threads);
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&racers[i].thread, nullptr, run, &racers[i]) != 0)
            fail("pthread_create");
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(racers[i].thread, nullptr);
        answer += racers[i].answer;
        begun = i == 0 || racers[i].begun < begun ? racers[i].begun : begun;
        ended = racers[i].ended > ended ? racers[i].ended : ended;
    }
    pthread_barrier_destroy(&start);
    own_time += (ended - begun) * static_cast<double>(times) / static_cast<double>(share * threads);
    return answer;
}

uint64_t throw_2_threads(uint64_t times) {
    return race(2, times);
}

uint64_t throw_8_threads(uint64_t times) {
    return race(8, times);
}

const row ROWS[] = {
    {"throw-1", throw_1, 9, 0, nullptr, 0},
    {"throw-5", throw_5, 9, 0, nullptr, 0},
    {"throw-10", throw_10, 9, 0, nullptr, 0},
    {"throw-50", throw_50, 9, 0, nullptr, 0},
    {"throw-past-handlers-10", throw_number, 9, 0, nullptr, 0},
    {"throw-again-5", throw_again, 9, 0, nullptr, 0},
    {"throw-10-threads-2", throw_2_threads, 8, MEDIAN | OWN, nullptr, 0},
    {"throw-10-threads-8", throw_8_threads, 8, MEDIAN | OWN, nullptr, 0},
};

const group exceptions_group = {"exceptions", nullptr, ROWS, COUNT(ROWS), nullptr};

} // namespace

const group *const groups[] = {&exceptions_group, nullptr};
