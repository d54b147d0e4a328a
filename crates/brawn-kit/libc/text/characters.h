/* What the functions of characters share. */
#ifndef BRAWN_TEXT_CHARACTERS_H
#define BRAWN_TEXT_CHARACTERS_H

#include <locale.h>
#include <wchar.h>

/* musl's three names of a class. Names may be macros, in tests. */
#define CLASS(type, name, name_l, name_weak) CLASS_(type, name, name_l, name_weak)
#define CLASS_(type, name, name_l, name_weak)                                                                \
    _Pragma("GCC visibility push(default)") int name(type c);                                                \
    int name_l(type c, locale_t locale);                                                                     \
    extern __typeof__(name_l) name_weak __attribute__((weak, alias(#name_l)));                               \
    _Pragma("GCC visibility pop") int name(type c) {                                                         \
        return is((unsigned)c);                                                                              \
    }                                                                                                        \
    int name_l(type c, locale_t locale) {                                                                    \
        (void)locale;                                                                                        \
        return is((unsigned)c);                                                                              \
    }

#endif
