// What a C++ runtime must do on a libc and a heap that it was not made with: exceptions of another thread,
// streams, aligned and failing allocation, thread-local objects with destructors, static objects, locales.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct alignas(64) Line {
    double values[8];
};

static int ended;

struct Counted {
    std::string text = "an object of a thread, too long for the small buffer";
    ~Counted() {
        ended++;
    }
};

static thread_local Counted counted;

static void require(bool holds, const char *what) {
    if (!holds) {
        std::cerr << "runtime.cc: " << what << '\n';
        std::exit(1);
    }
}

int main() {
    std::exception_ptr error;
    for (int i = 0; i < 8; i++) {
        std::thread([&] {
            require(counted.text.size() > 20, "a thread's object");
            try {
                throw std::runtime_error("thrown in a thread");
            } catch (...) {
                error = std::current_exception();
            }
        }).join();
    }
    require(ended == 8, "destructors of threads' objects");
    try {
        std::rethrow_exception(error);
    } catch (const std::exception &caught) {
        require(caught.what() == std::string("thrown in a thread"), "the exception's text");
    }

    auto lines = std::make_unique<Line[]>(100);
    require(reinterpret_cast<std::uintptr_t>(lines.get()) % 64 == 0, "aligned new");
    bool refused = false;
    try {
        void *volatile block = ::operator new(static_cast<std::size_t>(-1) / 2);
        ::operator delete(block);
    } catch (const std::bad_alloc &) {
        refused = true;
    }
    require(refused, "bad_alloc");
    // What C allocates, C++ may hand to C: one heap.
    char *text = static_cast<char *>(std::malloc(16));
    text = static_cast<char *>(std::realloc(text, 100000));
    std::free(text);

    std::ostringstream stream;
    for (int i = 0; i < 1000; i++)
        stream << i << ' ' << 1.5 * i << '\n';
    require(stream.str().size() == 9149, "a stream's text");
    std::cout << "whole\n";
}
