/* Coroutines, and the search through all states.
 *
 * A state is the memory that matters: the front's variables (the section front_state), what changes in
 * blocks, the model's record, and of each stack the part in use. It is kept as a copy, so the search goes
 * back by copying, and known by a hash of 128 bits. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "model.h"

#ifdef MODEL_SLABS
enum { WITH_SLABS = 1 };
#else
enum { WITH_SLABS = 0 };
#endif
enum { STACK = 16 << 10, LARGEST_STATE = 128 << 10, TABLE = 1 << 21, STATES_AT_MOST = 1000000 };
enum { PATH_BYTES = 1 << 30, LANES = 8 /* of the hash */ };

struct model model;

extern unsigned char __start_front_state[], __stop_front_state[];
extern unsigned char __start_front_locals[], __stop_front_locals[];

static unsigned char initial_locals[64];
static unsigned char *initial_front;
static unsigned char *const stacks = (unsigned char *)0x220000000000;
static void *scheduler;
static bool on_thread;
static const struct scenario *scenario;

struct state {
    unsigned char *bytes;
    size_t size;
    int next;  /* the alternative to try next */
    int moved; /* the thread that led here */
};

/* From the start to where the search is, the bytes of one state behind those of the other. */
static struct state *path;
static unsigned char *path_bytes;
static size_t depth, room;
static uint64_t (*table)[2];
static size_t states, moves, ends;

/* Saves the registers that a call preserves, and goes on where `to` was saved. */
void model_switch(void **from, void *to);
#if defined(__x86_64__)
__asm__(".text\n.globl model_switch\n.type model_switch, @function\nmodel_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
enum { SAVED_WORDS = 6, RETURN_WORD = 6 };
#elif defined(__aarch64__)
__asm__(
    ".text\n.globl model_switch\n.type model_switch, %function\nmodel_switch:\n"
    "sub sp, sp, #160\nstp x19, x20, [sp]\nstp x21, x22, [sp, #16]\nstp x23, x24, [sp, #32]\n"
    "stp x25, x26, [sp, #48]\nstp x27, x28, [sp, #64]\nstp x29, x30, [sp, #80]\n"
    "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
    "mov x9, sp\nstr x9, [x0]\nmov sp, x1\n"
    "ldp x19, x20, [sp]\nldp x21, x22, [sp, #16]\nldp x23, x24, [sp, #32]\nldp x25, x26, [sp, #48]\n"
    "ldp x27, x28, [sp, #64]\nldp x29, x30, [sp, #80]\n"
    "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
    "add sp, sp, #160\nret\n");
enum { SAVED_WORDS = 20, RETURN_WORD = 11 };
#endif

_Noreturn void model_fail(const char *what) {
    fprintf(stderr, "FAILED: %s\nscenario %s, in the %s, after these turns of its threads:", what,
            scenario->name, model.in_child ? "child of a fork" : "program");
    for (size_t at = 1; at < depth; at++) {
        fprintf(stderr, " %d", path[at].moved);
    }
    fprintf(stderr, "%s %d\n", depth > 0 ? " and" : "", model.current);
    exit(1);
}

static unsigned char *stack_end(int thread) {
    return stacks + (size_t)(thread + 1) * STACK;
}

static void yield(void) {
    model_switch(&model.threads[model.current].stack_pointer, scheduler);
}

void model_step(const volatile void *place) {
    if (on_thread && front_address_counts(place)) {
        yield();
    }
}

int choose(int ways) {
    struct thread *const self = &model.threads[model.current];
    self->ways = ways;
    yield();
    self->ways = 0;
    return self->choice;
}

static void wake_one(const void *place) {
#ifdef FLAW_NEVER_WAKES
    (void)place;
#else
    int sleepers[MODEL_THREADS], count = 0;
    for (int thread = 0; thread < MODEL_THREADS; thread++) {
        if (model.threads[thread].sleeps_on == place) {
            sleepers[count++] = thread;
        }
    }
    if (count > 0) {
        model.threads[sleepers[count > 1 ? choose(count) : 0]].sleeps_on = NULL;
    }
#endif
}

long model_syscall(long number, ...) {
    if (!on_thread) {
        return 0;
    }
    va_list arguments;
    va_start(arguments, number);
    const uint32_t *const place = number == SYS_futex ? va_arg(arguments, uint32_t *) : NULL;
    const int operation = number == SYS_futex ? va_arg(arguments, int) : 0;
    const unsigned value = number == SYS_futex ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    yield();
#ifdef FLAW_SLEEPS_BLINDLY
    const bool sleeps = operation == FUTEX_WAIT_PRIVATE;
    (void)value;
#else
    const bool sleeps = operation == FUTEX_WAIT_PRIVATE && *place == value;
#endif
    if (sleeps) {
        model.threads[model.current].sleeps_on = place;
        yield();
    } else if (operation == FUTEX_WAKE_PRIVATE) {
        wake_one(place);
    }
    return 0;
}

void take(void *block) {
    const int number = backend_number(block);
    if (number < 0 || model.places[number] == IN_PROGRAM ||
        (number < MODEL_SLABS_FROM && model.places[number] != IN_FRONT)) {
        model_fail("malloc gives a block that somebody has");
    }
    model.places[number] = IN_PROGRAM;
    memset(block, 0, 16); /* no one reads it again, so it makes no difference between states */
}

void *get(size_t size) {
    void *const block = front_malloc_(size);
    if (block == NULL) {
        return NULL;
    }
    take(block);
    return block;
}

void put(void *block) {
    if (block != NULL) {
        model.places[backend_number(block)] = IN_FRONT;
        front_free_(block);
    }
}

static void locals_in(int thread) {
    memcpy(__start_front_locals, model.threads[thread].locals,
           (size_t)(__stop_front_locals - __start_front_locals));
}

static void locals_out(int thread) {
    memcpy(model.threads[thread].locals, __start_front_locals,
           (size_t)(__stop_front_locals - __start_front_locals));
}

void fork_here(void) {
    front_forks_(-1);
    const bool is_child = choose(2) == 1;
    if (!is_child) {
        front_forks_(0);
        return;
    }
    model.in_child = true;
    for (int thread = 0; thread < MODEL_THREADS; thread++) {
        if (thread != model.current && model.threads[thread].exists) {
            model.threads[thread].finished = model.threads[thread].lost = true;
            model.threads[thread].sleeps_on = NULL;
        }
    }
    on_thread = false; /* no one is left to come between */
    front_forks_(1);
    if (!front_locks_are_free()) {
        model_fail("a lock is held in the child of a fork");
    }
    locals_out(model.current);
    front_check(true);
    on_thread = true;
}

static void thread_main(void) {
    scenario->threads[model.current]();
    front_thread_ends_();
    model.threads[model.current].finished = true;
    for (;;) {
        yield();
    }
}

static void thread_create(int number) {
    struct thread *const thread = &model.threads[number];
    void **const top = (void **)(void *)(stack_end(number) - 64);
    memset(top - SAVED_WORDS, 0, (SAVED_WORDS + 2) * sizeof *top);
    void **const saved = top - SAVED_WORDS;
    saved[RETURN_WORD] = (void *)thread_main;
    thread->stack_pointer = saved;
    thread->exists = true;
    memcpy(thread->locals, initial_locals, sizeof thread->locals);
}

static unsigned char *save_part(unsigned char *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return to + size;
}

static size_t state_save(unsigned char *to) {
    unsigned char *at = save_part(to, &model, sizeof model);
    at = save_part(at, __start_front_state, (size_t)(__stop_front_state - __start_front_state));
    for (int thread = 0; thread < MODEL_THREADS; thread++) {
        const struct thread *const it = &model.threads[thread];
        if (it->exists && !it->finished) {
            const unsigned char *const top = it->stack_pointer;
            at = save_part(at, top, (size_t)(stack_end(thread) - top));
        }
    }
    at += backend_save(at);
    at += front_save(at);
    const size_t size = (size_t)(at - to), step = LANES * sizeof(uint64_t), rest = (0 - size) % step;
    if (size + rest > LARGEST_STATE) {
        model_fail("a state is larger than the model thinks");
    }
    memset(at, 0, rest);
    return size + rest;
}

static void state_restore(const unsigned char *at) {
    memcpy(&model, at, sizeof model);
    at += sizeof model;
    memcpy(__start_front_state, at, (size_t)(__stop_front_state - __start_front_state));
    at += __stop_front_state - __start_front_state;
    for (int thread = 0; thread < MODEL_THREADS; thread++) {
        const struct thread *const it = &model.threads[thread];
        if (it->exists && !it->finished) {
            unsigned char *const top = it->stack_pointer;
            memcpy(top, at, (size_t)(stack_end(thread) - top));
            at += stack_end(thread) - top;
        }
    }
    front_restore(backend_restore(at));
}

/* Whether this state is a new one. Eight sums side by side, because each step of one waits for the last. */
static bool state_is_new(const unsigned char *bytes, size_t size) {
    uint64_t lanes[LANES] = {size};
    for (size_t at = 0; at < size; at += LANES * sizeof(uint64_t)) {
        uint64_t words[LANES];
        memcpy(words, bytes + at, sizeof words);
#pragma GCC unroll 8
        for (size_t lane = 0; lane < LANES; lane++) {
            lanes[lane] = (lanes[lane] ^ words[lane]) * 0x9e3779b97f4a7c15;
            lanes[lane] ^= lanes[lane] >> 29;
        }
    }
    uint64_t hash[2] = {0, 0};
    for (size_t lane = 0; lane < LANES; lane++) {
        hash[0] = (hash[0] ^ lanes[lane]) * 0xd6e8feb86659fd93;
        hash[0] ^= hash[0] >> 32;
        hash[1] = (hash[1] + lanes[lane]) * 0x9e3779b97f4a7c15;
        hash[1] ^= hash[1] >> 29;
    }
    hash[0] |= 1;
    for (size_t at = (size_t)(hash[1] % TABLE);; at = (at + 1) % TABLE) {
        if (table[at][0] == 0) {
            memcpy(table[at], hash, sizeof hash);
            return true;
        }
        if (table[at][0] == hash[0] && table[at][1] == hash[1]) {
            return false;
        }
    }
}

/* Whether the state that is there now is a new one, and so the last of the path. */
static bool push_if_new(int moved) {
    unsigned char *const place = depth == 0 ? path_bytes : path[depth - 1].bytes + path[depth - 1].size;
    if (place + LARGEST_STATE > path_bytes + PATH_BYTES) {
        model_fail("this scenario is too long");
    }
    front_forget_statistics();
    const size_t size = state_save(place);
    if (!state_is_new(place, size)) {
        return false;
    }
    if (++states > STATES_AT_MOST) {
        model_fail("this scenario has too many states to look at all of them");
    }
    if (depth == room) {
        room = room * 2 + 1024;
        path = realloc(path, room * sizeof *path);
    }
    path[depth++] = (struct state){place, size, 0, moved};
    return true;
}

static bool can_move(int thread) {
    const struct thread *const it = &model.threads[thread];
    return it->exists && !it->finished && it->sleeps_on == NULL;
}

/* The thread that makes the n-th of all possible moves, or -1. */
static int mover(int n) {
    const bool others =
        scenario->preemptions == 0 || model.preemptions < scenario->preemptions || !can_move(model.current);
    for (int thread = 0; thread < MODEL_THREADS; thread++) {
        struct thread *const it = &model.threads[thread];
        if (!can_move(thread) || (thread != model.current && !others)) {
            continue;
        }
        const int ways = it->ways > 0 ? it->ways : 1;
        if (n < ways) {
            it->choice = n;
            return thread;
        }
        n -= ways;
    }
    return -1;
}

static void at_the_end(void) {
    for (int thread = 0; thread < MODEL_THREADS; thread++) {
        if (model.threads[thread].exists && !model.threads[thread].finished) {
            model_fail("threads wait for each other, or for a wake-up that was lost");
        }
    }
    if (!front_locks_are_free()) {
        model_fail("a lock is held at the end");
    }
    front_check(true);
    ends++;
}

static void search(void) {
    bool is_there = push_if_new(0);
    while (depth > 0) {
        struct state *const top = &path[depth - 1];
        if (!is_there) {
            state_restore(top->bytes);
        }
        is_there = false;
        const int thread = mover(top->next++);
        if (thread < 0) {
            if (top->next == 1) {
                at_the_end();
            }
            depth--;
            continue;
        }
        model.preemptions += scenario->preemptions != 0 && thread != model.current && can_move(model.current);
        model.current = thread;
        locals_in(thread);
        on_thread = true;
        model_switch(&scheduler, model.threads[thread].stack_pointer);
        on_thread = false;
        locals_out(thread);
        moves++;
        if (scenario->preemptions == 0) {
            model.current = 0; /* who came here is no part of the state */
        }
        is_there = push_if_new(thread);
    }
}

static void explore(void) {
    memset(&model, 0, sizeof model);
    memcpy(__start_front_state, initial_front, (size_t)(__stop_front_state - __start_front_state));
    memset(table, 0, TABLE * sizeof *table);
    states = moves = ends = 0;
    backend_start(scenario->small_blocks);
    memcpy(__start_front_locals, initial_locals, (size_t)(__stop_front_locals - __start_front_locals));
    int count = 0;
    for (int thread = 0; thread < MODEL_THREADS; thread++) {
        count += scenario->threads[thread] != NULL;
    }
    /* What is done before the others is done by the first thread, in a program that has threads. */
    front_start_threads(count);
    if (scenario->before != NULL) {
        scenario->before();
    }
    void *const specific = model.threads[0].specific;
    for (int thread = 0; thread < count; thread++) {
        thread_create(thread);
    }
    model.threads[0].specific = specific;
    locals_out(0);
    search();
    printf("%-24s %9zu states %9zu moves %6zu ends\n", scenario->name, states, moves, ends);
    if (ends == 0) {
        model_fail("no state is the end");
    }
}

/* What is gone may have been where a wrong pointer leads. */
static void on_fault(int signal) {
    (void)signal;
    model_fail("memory is used that is not there");
}

static void watch_faults(void) {
    static unsigned char stack[64 << 10];
    const stack_t place = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    sigaltstack(&place, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

bool model_keeps_medium(void) {
    return strstr(scenario->name, "medium") != NULL;
}

int main(int argc, char **argv) {
    const size_t front_size = (size_t)(__stop_front_state - __start_front_state);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (front_size > LARGEST_STATE / 2) {
        fprintf(stderr, "error: the front's variables are %zu bytes, too many for the model\n", front_size);
        return 2;
    }
    initial_front = malloc(front_size);
    memcpy(initial_front, __start_front_state, front_size);
    memcpy(initial_locals, __start_front_locals, (size_t)(__stop_front_locals - __start_front_locals));
    table = mmap(NULL, TABLE * sizeof *table, PROT_READ | PROT_WRITE, flags, -1, 0);
    path_bytes = mmap(NULL, PATH_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    void *const memory = mmap(stacks, (size_t)MODEL_THREADS * STACK, PROT_READ | PROT_WRITE,
                              flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (table == MAP_FAILED || path_bytes == MAP_FAILED || memory != stacks || initial_front == NULL) {
        perror("no memory for the model");
        return 2;
    }
    watch_faults();
    setvbuf(stdout, NULL, _IOLBF, 0);
    size_t total = 0;
    for (scenario = scenarios; scenario->name != NULL; scenario++) {
        if ((strncmp(scenario->name, "slabs", 5) == 0) == WITH_SLABS &&
            (argc < 2 || strstr(scenario->name, argv[1]) != NULL)) {
            explore();
            total += states;
        }
    }
    printf("%zu states in all\n", total);
    return total == 0;
}
