// The groups in C.

#include "rows.h"

extern const struct group sort_group, numbers_group, time_group, stdio_group, environment_group, locks_group,
    mathematics_group, regex_group, conversions_group, characters_group, threads_group;

// Threads come last: a process that has had some is another one for the C library.
const struct group *const groups[] = {
    &sort_group,        &numbers_group,    &time_group,        &stdio_group,
    &environment_group, &locks_group,      &mathematics_group, &regex_group,
    &conversions_group, &characters_group, &threads_group,     NULL,
};
