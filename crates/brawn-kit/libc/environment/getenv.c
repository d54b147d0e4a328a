/* getenv: one pass over the environment, which compares names by words; musl's compares by strncmp for each variable. */

#include "name.h"

char *getenv(const char *name);

char *getenv(const char *text) {
    char **at = __environ;
    const size_t length = name_length(text);
    /* An empty name and one with a '=' in it are the names of nothing. */
    if (!at || !length || text[length]) {
        return NULL;
    }
    const struct name name = name_of(text, length);
    for (char *variable; (variable = *at); at++) {
        if (has_name(variable, &name)) {
            return variable + length + 1;
        }
    }
    return NULL;
}
