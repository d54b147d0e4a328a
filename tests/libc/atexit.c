// Far more atexit handlers than the 32 that libc has room for without allocating, run in reverse order,
// each of which allocates; handlers that register further handlers; destructors after them.
#include "check.h"

enum { HANDLERS = 1000 };

int __cxa_atexit(void (*handler)(void *), void *argument, void *object);

static int handlers, next_expected, plain_calls, late_calls;
static char *kept;

static void allocate_a_little(void) {
    char *block = malloc(3000);
    CHECK(block != NULL, "no memory in a handler");
    memset(block, 1, 3000);
    free(kept);
    kept = realloc(block, 5000);
    CHECK(kept != NULL, "cannot resize in a handler");
}

static void numbered(void *argument) {
    int *number = argument;
    CHECK(*number == next_expected, "handler %d ran, %d was its turn", *number, next_expected);
    next_expected--;
    allocate_a_little();
    free(number);
}

static void late(void) {
    late_calls++;
    allocate_a_little();
}

static void plain(void) {
    plain_calls++;
    allocate_a_little();
    if (plain_calls <= 100)
        CHECK(atexit(late) == 0, "a handler cannot register a handler");
}

static void first_registered(void) {
    CHECK(next_expected == -1, "%d numbered handlers did not run", next_expected + 1);
    CHECK(plain_calls == handlers, "%d plain handlers ran instead of %d", plain_calls, handlers);
    CHECK(late_calls == 100, "%d late handlers ran instead of 100", late_calls);
    allocate_a_little();
}

// Runs after every handler: only here is it known that exit() came to its end.
__attribute__((destructor)) static void last(void) {
    CHECK(plain_calls == handlers, "a destructor ran before the handlers");
    allocate_a_little();
    free(kept);
    passed();
}

int main(int argc, char **argv) {
    handlers = HANDLERS * scale_of(argc, argv);
    watchdog(60);
    watched_step = "register";
    CHECK(atexit(first_registered) == 0, "no handler");
    for (int i = 0; i < handlers; i++)
        CHECK(atexit(plain) == 0, "no handler %d", i);
    for (int i = 0; i < handlers; i++) {
        int *number = malloc(sizeof *number);
        CHECK(number != NULL, "no memory");
        *number = i;
        CHECK(__cxa_atexit(numbered, number, NULL) == 0, "no numbered handler %d", i);
    }
    next_expected = handlers - 1;
    watched_step = "handlers";
    return 0;
}
