// Exceptions of C++, and what else passes through frames: every form that the unwinder can tell from another. Prints "whole".

#include <alloca.h>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>
#include <utility>
#include <vector>

extern "C" void *_Unwind_FindEnclosingFunction(void *);

#define NEVER_INLINE __attribute__((noinline))
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::printf("line %d: not %s\n", __LINE__, #condition);                                          \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

namespace {

void keep(void *pointer) {
    __asm__ volatile("" : : "r"(pointer) : "memory");
}

std::string trail;

struct Mark {
    char letter;
    ~Mark() {
        trail += letter;
    }
};

NEVER_INLINE void down(int depth, const char *what) {
    Mark mark{static_cast<char>('a' + depth)};
    if (depth == 0)
        throw std::runtime_error(what);
    down(depth - 1, what);
    keep(&mark);
}

void orders() {
    trail.clear();
    try {
        down(9, "record");
    } catch (const std::exception &error) {
        CHECK(trail == "abcdefghij");
        CHECK(std::string(error.what()) == "record");
    }
    trail.clear();
    try {
        try {
            down(3, "again");
        } catch (const std::logic_error &) {
            CHECK(false);
        } catch (std::runtime_error &) {
            trail += '!';
            throw;
        }
    } catch (const std::runtime_error &) {
        CHECK(trail == "abcd!");
    }
}

struct Nested {
    ~Nested() {
        try {
            down(2, "inner");
        } catch (const std::runtime_error &error) {
            trail += error.what();
        }
    }
};

void nested() {
    trail.clear();
    try {
        Nested nested;
        throw 5;
    } catch (int number) {
        CHECK(number == 5 && trail == "abcinner" && std::uncaught_exceptions() == 0);
    }
    try {
        try {
            throw std::string("first");
        } catch (const std::string &) {
            std::throw_with_nested(std::runtime_error("second"));
        }
    } catch (const std::runtime_error &error) {
        try {
            std::rethrow_if_nested(error);
            CHECK(false);
        } catch (const std::string &text) {
            CHECK(text == "first");
        }
    }
}

// Frames of every shape.
NEVER_INLINE void large(int depth) {
    char room[300000];
    keep(room);
    if (depth == 0)
        throw 1;
    large(depth - 1);
    keep(room);
}

NEVER_INLINE void dynamic(std::size_t size, int depth) {
    char *room = static_cast<char *>(alloca(size));
    keep(room);
    std::memset(room, depth, size);
    if (depth == 0)
        throw 2;
    dynamic(size + 100, depth - 1);
    CHECK(room[0] == depth);
}

NEVER_INLINE void aligned(int depth) {
    alignas(256) char room[512];
    keep(room);
    CHECK(reinterpret_cast<std::uintptr_t>(room) % 256 == 0);
    if (depth == 0)
        throw 3;
    dynamic(64, 2 * depth);
    aligned(depth - 1);
    keep(room);
}

NEVER_INLINE double numbers(double a, double b, double c, int depth) {
    double d = a * b, e = b * c, f = a * c;
    try {
        if (depth == 0)
            throw 4;
        return numbers(e, f, d, depth - 1) + a;
    } catch (int) {
        return a + b + c + d + e + f;
    }
}

NEVER_INLINE int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k) {
    if (k == 0)
        throw a + b + c + d + e + f + g + h + i + j;
    return many(b, c, d, e, f, g, h, i, j, a, k - 1) + 1;
}

template <typename F> int thrown(F call) {
    try {
        call();
    } catch (int number) {
        return number;
    }
    return 0;
}

void shapes() {
    CHECK(thrown([] { large(3); }) == 1);
    CHECK(thrown([] { dynamic(1000, 5); }) == 2);
    CHECK(thrown([] { aligned(0); }) == 3);
    CHECK(thrown([] { aligned(4); }) == 2);
    CHECK(numbers(2, 3, 5, 0) == 41);
    CHECK(thrown([] { many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 4); }) == 55);
}

int throws(const void *a, const void *) {
    throw *static_cast<const int *>(a);
}

// Functions of libc on the way.
void through_libc() {
    int array[] = {7, 7, 7, 7, 7, 7};
    CHECK(thrown([&] { std::qsort(array, 6, sizeof *array, throws); }) == 7);
}

void foreign() {
    static int cleaned;
    struct _Unwind_Exception exception{};
    std::memcpy(&exception.exception_class, "BRWNTEST", 8);
    exception.exception_cleanup = [](_Unwind_Reason_Code, _Unwind_Exception *) { cleaned++; };
    bool caught = false;
    try {
        Mark mark{'x'};
        trail.clear();
        _Unwind_RaiseException(&exception);
        CHECK(false);
    } catch (const std::exception &) {
        CHECK(false);
    } catch (...) {
        caught = true;
    }
    CHECK(caught && cleaned == 1 && trail == "x");
}

// What ends the process instead, in a child: the status.
template <typename F> int ends(F call) {
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        std::set_terminate([] { _exit(42); });
        call();
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

NEVER_INLINE void closed() noexcept {
    down(2, "out of noexcept");
}

void terminates() {
    CHECK(ends([] {
              try {
                  closed();
              } catch (...) {
              }
          }) == 42);
    CHECK(ends([] { down(2, "nowhere"); }) == 42);
    CHECK(ends([] {
              try {
                  throw 1;
              } catch (const std::string &) {
              }
          }) == 42);
}

struct Stop {
    std::uintptr_t stack;
    int calls, ended, again;
};

[[noreturn]] void leave(Stop *stop) {
    _exit(trail == "abcde" && stop->calls > 5 && stop->ended == 1 ? 21 : 22);
}

_Unwind_Reason_Code stopping(int, _Unwind_Action actions, _Unwind_Exception_Class,
                             _Unwind_Exception *exception, _Unwind_Context *context, void *argument) {
    Stop *stop = static_cast<Stop *>(argument);
    CHECK(exception->exception_class == 0 && (actions & _UA_FORCE_UNWIND) && (actions & _UA_CLEANUP_PHASE));
    /* From below, or anew from a handler that throws again. */
    CHECK(_Unwind_GetCFA(context) >= stop->stack || stop->again++ == 0);
    stop->stack = _Unwind_GetCFA(context);
    stop->calls++;
    if (actions & _UA_END_OF_STACK) {
        stop->ended++;
        leave(stop);
    }
    return _URC_NO_REASON;
}

_Unwind_Exception forced_exception;
Stop forced_stop;

NEVER_INLINE void force(int depth) {
    Mark mark{static_cast<char>('a' + depth)};
    if (depth == 0) {
        _Unwind_ForcedUnwind(&forced_exception, stopping, &forced_stop);
        _exit(23);
    }
    force(depth - 1);
    keep(&mark);
}

// As pthread_exit and cancellation do it elsewhere: cleaning up, past handlers, to the end of the stack.
void forced() {
    CHECK(ends([] {
              trail.clear();
              try {
                  force(4);
              } catch (const std::exception &) {
                  _exit(24);
              }
          }) == 21);
    int status = ends([] {
        trail.clear();
        try {
            force(4);
        } catch (...) {
            CHECK(trail == "abcde");
            throw;
        }
    });
    /* LLVM's libc++abi raises it anew, and finds no handler. */
    CHECK(status == 21 || status == 42);
}

struct Frames {
    std::vector<std::uintptr_t> functions;
    std::vector<int> before;
};

_Unwind_Reason_Code note(_Unwind_Context *context, void *argument) {
    Frames *frames = static_cast<Frames *>(argument);
    int before = -1;
    std::uintptr_t ip = _Unwind_GetIPInfo(context, &before), start = _Unwind_GetRegionStart(context);
    CHECK(ip == _Unwind_GetIP(context) && (ip >= start || ip == 0));
    frames->functions.push_back(start);
    frames->before.push_back(before);
    return _URC_NO_REASON;
}

NEVER_INLINE Frames trace(int depth) {
    Frames frames;
    if (depth > 0)
        frames = trace(depth - 1);
    else
        CHECK(_Unwind_Backtrace(note, &frames) == _URC_END_OF_STACK);
    keep(&frames);
    return frames;
}

template <typename T> std::uintptr_t address(T *function) {
    return reinterpret_cast<std::uintptr_t>(function);
}

void backtraces() {
    Frames frames = trace(6);
    CHECK(frames.functions.size() >= 9);
    for (int i = 0; i < 7; i++)
        CHECK(frames.functions[static_cast<std::size_t>(i)] == address(trace) && frames.before[0] == 0);
    bool found = false;
    for (std::uintptr_t function : frames.functions)
        found |= function == address(backtraces);
    CHECK(found);
    CHECK(_Unwind_FindEnclosingFunction(reinterpret_cast<void *>(address(trace) + 1)) ==
          reinterpret_cast<void *>(address(trace)));
    static int nowhere;
    CHECK(_Unwind_FindEnclosingFunction(&nowhere) == nullptr);
}

Frames signalled;
bool throws_then;

NEVER_INLINE void faults(volatile int *pointer) {
    *pointer = 1;
}

// So that no compiler knows that it throws nothing.
void (*volatile fault)(volatile int *) = faults;

void handler(int) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    if (throws_then)
        throw std::runtime_error("fault");
    _Unwind_Backtrace(note, &signalled);
    throws_then = true;
    throw 11;
}

NEVER_INLINE int survive() {
    try {
        Mark mark{'s'};
        fault(nullptr);
    } catch (const std::runtime_error &) {
        return 1;
    } catch (int number) {
        return number;
    }
    return 0;
}

// What a signal interrupted has made no call: it is looked up where it stands.
void signals() {
    static char stack[128 << 10];
    stack_t other{};
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    CHECK(sigaltstack(&other, nullptr) == 0);
    struct sigaction action{};
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    trail.clear();
    CHECK(survive() == 11 && survive() == 1 && trail == "ss");
    const std::uintptr_t wanted[] = {address(handler), 0, address(faults), address(survive),
                                     address(signals)};
    CHECK(signalled.functions.size() > 5);
    for (std::size_t i = 0; i < 5; i++)
        CHECK(wanted[i] == 0 || signalled.functions[i] == wanted[i]);
    CHECK(signalled.before[0] == 0 && signalled.before[2] == 1 && signalled.before[3] == 0);
}

// So many functions that the rows of them do not all fit.
template <int N> NEVER_INLINE int one_of_many(int depth) {
    struct Adds {
        int &to;
        ~Adds() {
            to += N;
        }
    };
    static thread_local int sum;
    sum = 0;
    try {
        Adds adds{sum};
        if (depth == 0)
            throw N;
        many(N, 0, 0, 0, 0, 0, 0, 0, 0, 0, depth - 1);
    } catch (int number) {
        return number + sum;
    }
    return -1;
}

template <int... N> std::vector<int (*)(int)> table(std::integer_sequence<int, N...>) {
    return {one_of_many<N>...};
}

const std::vector<int (*)(int)> functions = table(std::make_integer_sequence<int, 400>());
pthread_barrier_t start;
std::atomic<int> wrong;

void *storm(void *argument) {
    auto state = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(argument));
    pthread_barrier_wait(&start);
    for (int i = 0; i < 2000; i++) {
        state = state * 1664525 + 1013904223;
        int n = static_cast<int>((state >> 8) % functions.size());
        int depth = static_cast<int>(state >> 28);
        wrong += functions[static_cast<std::size_t>(n)](depth) != 2 * n;
    }
    return nullptr;
}

// The first throws of a process, at once; then the others.
void threads() {
    pthread_t all[8];
    pthread_barrier_init(&start, nullptr, 8);
    for (std::uintptr_t i = 0; i < 8; i++)
        CHECK(pthread_create(&all[i], nullptr, storm, reinterpret_cast<void *>(i * 77)) == 0);
    for (pthread_t thread : all)
        pthread_join(thread, nullptr);
    CHECK(wrong == 0);
}

std::exception_ptr carried;

void *carry(void *) {
    try {
        down(3, "carried");
    } catch (...) {
        carried = std::current_exception();
    }
    return nullptr;
}

void pointers() {
    pthread_t thread;
    trail.clear();
    CHECK(pthread_create(&thread, nullptr, carry, nullptr) == 0 && pthread_join(thread, nullptr) == 0);
    try {
        std::rethrow_exception(carried);
    } catch (const std::runtime_error &error) {
        CHECK(std::string(error.what()) == "carried" && trail == "abcd");
    }
}

} // namespace

int main() {
    threads();
    orders();
    nested();
    shapes();
    through_libc();
    foreign();
    terminates();
    forced();
    backtraces();
    signals();
    pointers();
    std::puts("whole");
}
