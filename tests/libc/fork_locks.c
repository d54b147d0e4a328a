// A thread forks, over and over, while others are inside a part of the C library that has a lock, and as a
// rule allocate there. fork takes all of these locks, so any other thread that takes the heap's before one of them
// waits for ever; and in the child all must be free. Every part has its turn in new processes, so that first
// uses, with the setting up that comes with them, happen beside a fork as well.
//
// Left out is what stock musl cannot do: a zone file or an environment that changes while other threads tell
// the time (both are freed under their eyes), a timer that expires while it is deleted (timer_delete looks at
// its thread after having told it to end, and crashes if that is gone), posix_spawn beside aio (the new
// process closes files, for which it waits for aio's lock, which it shares), and before 1.2.4 (`old=1`) aio,
// keys and dlerror beside fork: fork takes aio's lock after the heap's, and knows neither that on keys nor
// what the end of a thread does for dlerror.
#include "check.h"
#include <aio.h>
#include <dlfcn.h>
#include <libintl.h>
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>

enum { MILLISECONDS = 60, PROCESSES = 3, LINE = 50000, LINES = 4, NAMES = 3000, PARTS_AT_ONCE = 3 };

static const char lines_path[] = "lines";
static atomic_uint rounds; // that the threads of this process have done

static void touch(size_t size) {
    char *block = malloc(size);
    CHECK(block != NULL, "no memory for %zu bytes", size);
    memset(block, 1, size);
    free(block);
}

// stdio: getline allocates under a stream's lock, fflush waits for that lock under the lock on all streams.

static void lines(void) {
    FILE *file = fopen(lines_path, "r");
    CHECK(file != NULL, "cannot open the file");
    char *line = NULL;
    size_t capacity = 0;
    for (int i = 0; i < LINES; i++)
        CHECK(getline(&line, &capacity, file) == LINE + 1, "a line is lost");
    free(line);
    fclose(file);
}

static void flush(void) {
    fflush(NULL);
}

static void memory_stream(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    CHECK(stream != NULL, "open_memstream failed");
    for (int i = 0; i < 300; i++)
        fprintf(stream, "%0100d\n", i);
    CHECK(fclose(stream) == 0 && size == 300 * 101, "the stream has %zu bytes", size);
    free(text);
}

// The command's stream is put on the list under its lock, beside what posix_spawn needs.
static void pipe_stream(void) {
    FILE *stream = popen("exit 3", "r");
    CHECK(stream != NULL, "popen failed");
    const int status = pclose(stream);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3, "the command ended with status 0x%x", status);
}

// Lists that only grow: not without end. What comes after allocates without the lock.

static atomic_int names;

static int next_name(void) {
    const int name = atomic_fetch_add(&names, 1);
    return name < NAMES ? name : -1;
}

static void nothing(void) {
}

static void at_exit(void) {
    if (next_name() >= 0)
        CHECK(atexit(nothing) == 0, "atexit failed");
    touch(500);
}

static void locales(void) {
    char name[32];
    snprintf(name, sizeof name, "xx_%d", next_name());
    locale_t own = newlocale(LC_ALL_MASK, name, (locale_t)0);
    CHECK(own != (locale_t)0, "newlocale failed");
    locale_t copy = duplocale(own);
    CHECK(copy != (locale_t)0, "duplocale failed");
    uselocale(copy);
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(copy);
    freelocale(own);
}

static void global_locale(void) {
    char name[32];
    snprintf(name, sizeof name, "yy_%d", next_name());
    CHECK(setlocale(LC_MESSAGES, name) != NULL && setlocale(LC_ALL, "C") != NULL, "setlocale failed");
}

static void translations(void) {
    char domain[32];
    snprintf(domain, sizeof domain, "domain-%d", next_name() / 4);
    CHECK(bindtextdomain(domain, "/nowhere") != NULL, "bindtextdomain failed");
    CHECK(strcmp(dgettext(domain, "text"), "text") == 0, "dgettext found another text");
}

// Rules of growing length, of which libc keeps the last. Only this thread looks at the environment.
static void time_zones(void) {
    static char zone[3000];
    static unsigned turn;
    const size_t length = 3 + turn++ % 2500;
    memset(zone, 'A', length);
    snprintf(zone + length, sizeof zone - length, "-%u", turn % 20);
    CHECK(setenv("TZ", zone, 1) == 0, "setenv failed");
    tzset();
    const time_t moment = 1721044800 + turn;
    struct tm fields;
    char text[64];
    CHECK(localtime_r(&moment, &fields) != NULL && strftime(text, sizeof text, "%c", &fields) > 0,
          "no local time");
}

static void asynchronous(void) {
    static char bytes[64][100];
    const unsigned at = atomic_load(&rounds) % 64;
    int file = open(lines_path, O_RDONLY | O_CLOEXEC);
    struct aiocb request = {.aio_fildes = file, .aio_buf = bytes[at], .aio_nbytes = sizeof bytes[at]};
    request.aio_sigevent.sigev_notify = SIGEV_NONE;
    CHECK(file >= 0 && aio_read(&request) == 0, "aio_read failed");
    const struct aiocb *list[] = {&request};
    while (aio_error(&request) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    CHECK(aio_return(&request) == sizeof bytes[at], "aio_read was cut short");
    close(file);
}

static void expired(union sigval value) {
    (void)value;
    touch(1000);
}

static void timers(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired};
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create failed");
    const struct itimerspec later = {.it_value = {3600, 0}};
    CHECK(timer_settime(timer, 0, &later, NULL) == 0, "timer_settime failed");
    touch(2000);
    CHECK(timer_delete(timer) == 0, "timer_delete failed");
}

static void system_log(void) {
    openlog("fork-locks", LOG_NDELAY, LOG_USER);
    syslog(LOG_DEBUG, "%0500d", 1);
    setlogmask(LOG_UPTO(LOG_DEBUG));
    closelog();
    touch(300);
}

// The text of an error lies in a block of the thread's own, which others free after its end.
static void loader_error(void) {
    char name[300];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    CHECK(dlsym(RTLD_DEFAULT, name) == NULL && dlerror() != NULL, "dlsym left no error");
    dlopen("/no/such/library.so", RTLD_NOW);
}

static void named_semaphore(void) {
    char name[64];
    snprintf(name, sizeof name, "/brawn-fork-%d-%d", (int)getpid(), (int)(atomic_load(&rounds) % 2));
    sem_t *semaphore = sem_open(name, O_CREAT, 0600, 1u);
    // Another thread may have unlinked the name just now, which is the same semaphore then.
    CHECK(semaphore != SEM_FAILED || errno == ENOENT || errno == EEXIST, "sem_open failed");
    if (semaphore != SEM_FAILED)
        sem_close(semaphore);
    sem_unlink(name);
    touch(700);
}

static void keys(void) {
    pthread_key_t key;
    CHECK(pthread_key_create(&key, free) == 0, "no key");
    CHECK(pthread_setspecific(key, malloc(100)) == 0, "pthread_setspecific failed");
    free(pthread_getspecific(key));
    CHECK(pthread_key_delete(key) == 0, "pthread_key_delete failed");
}

static void *short_life(void *unused) {
    touch(100);
    loader_error();
    return unused;
}

static void threads(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, short_life, NULL) == 0, "no thread");
    pthread_join(thread, NULL);
}

// What the threads do at the same time, and what each child must still be able to do.
static const struct part {
    const char *name;
    void (*at_once[PARTS_AT_ONCE])(void);
    void (*in_child)(void);
    enum { ANYWHERE, NEW_MUSL, NEW_MUSL_AND_ALONE } where;
} parts[] = {
    {"stdio", {lines, lines, flush}, lines, ANYWHERE},
    {"first stream", {lines, flush}, memory_stream, ANYWHERE},
    {"memory streams", {memory_stream, lines, flush}, memory_stream, ANYWHERE},
    {"pipes", {pipe_stream, lines, flush}, NULL, ANYWHERE},
    {"atexit", {at_exit, at_exit}, at_exit, ANYWHERE},
    {"locale", {locales, locales, global_locale}, locales, ANYWHERE},
    {"gettext", {translations, translations, locales}, translations, ANYWHERE},
    {"time zones", {time_zones, lines}, time_zones, ANYWHERE},
    {"aio", {asynchronous, asynchronous, lines}, NULL, NEW_MUSL_AND_ALONE},
    {"timers", {timers, timers}, NULL, ANYWHERE},
    {"syslog", {system_log, system_log}, system_log, ANYWHERE},
    {"dlerror", {loader_error, threads, threads}, loader_error, NEW_MUSL},
    {"semaphores", {named_semaphore, named_semaphore}, named_semaphore, ANYWHERE},
    {"keys", {keys, keys, threads}, keys, NEW_MUSL},
};
enum { PARTS = sizeof parts / sizeof *parts };

__attribute__((noreturn)) static void *work(void *argument) {
    void (*const function)(void) = *(void (*const *)(void))argument;
    for (;;) {
        function();
        atomic_fetch_add(&rounds, 1);
    }
}

static long milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void wait_for(pid_t child, const char *who, const char *part) {
    int status;
    CHECK(child > 0, "%s: fork failed", part);
    CHECK(waitpid(child, &status, 0) == child, "%s: waitpid failed", part);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s of %s ended with status 0x%x", who, part,
          status);
}

static void fork_beside(const struct part *const *list, int count, unsigned seconds) {
    const char *const name = count == 1 ? list[0]->name : "all parts";
    watchdog(seconds);
    watched_step = name;
    for (int i = 0; i < count; i++) {
        for (int at = 0; at < PARTS_AT_ONCE && list[i]->at_once[at] != NULL; at++) {
            pthread_t thread;
            void *const argument = (void *)(uintptr_t)&list[i]->at_once[at];
            CHECK(pthread_create(&thread, NULL, work, argument) == 0, "no thread");
        }
    }
    const long end = milliseconds() + MILLISECONDS;
    for (int n = 0; milliseconds() < end || n < 3 || atomic_load(&rounds) < 10; n++) {
        watched_round = n;
        const pid_t child = fork();
        if (child == 0) {
            watchdog(seconds);
            watched_step = "child";
            touch(100);
            touch(3000);
            touch(300000);
            for (int i = 0; i < count; i++)
                if (list[i]->in_child != NULL)
                    list[i]->in_child();
            _exit(0);
        }
        wait_for(child, "a child", name);
    }
    _exit(0);
}

static void write_lines(void) {
    FILE *file = fopen(lines_path, "w");
    CHECK(file != NULL, "cannot create the file");
    for (int i = 0; i < LINES; i++)
        fprintf(file, "%0*d\n", LINE, i);
    CHECK(fclose(file) == 0, "cannot write the file");
}

int main(int argc, char **argv) {
    const int processes = PROCESSES * scale_of(argc, argv);
    const bool old = option_of(argc, argv, "old", 0) != 0;
    const bool together = option_of(argc, argv, "together", 1) != 0;
    const unsigned seconds = (unsigned)option_of(argc, argv, "hang-seconds", 40);
    const long only = option_of(argc, argv, "part", -1);
    // Not by this process, which would bring its heap and its streams into all others.
    pid_t writer = fork();
    if (writer == 0) {
        write_lines();
        _exit(0);
    }
    wait_for(writer, "the writer", "lines");
    const struct part *alone[PARTS], *all[PARTS];
    int count = 0, all_count = 0;
    for (int i = 0; i < PARTS; i++) {
        if (old && parts[i].where != ANYWHERE)
            continue;
        alone[count++] = &parts[i];
        if (parts[i].where != NEW_MUSL_AND_ALONE)
            all[all_count++] = &parts[i];
    }
    for (int n = 0; n < processes; n++) {
        for (int i = 0; i < count + together; i++) {
            if (only >= 0 && i != only)
                continue;
            pid_t process = fork();
            if (process == 0)
                fork_beside(i == count ? all : &alone[i], i == count ? all_count : 1, seconds);
            wait_for(process, "the process", i == count ? "all parts" : alone[i]->name);
        }
    }
    return passed();
}
