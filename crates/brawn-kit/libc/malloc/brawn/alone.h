/* The plain build of a kit has nothing of mallocng: it takes the place of a libc.a's heap, whichever that is.
 * What it calls mallocng's in this file is backend.h's, under names of its own, since mallocng's are here for
 * who asks the libc.a's heap by them: they lead to the front end. */
#ifndef BRAWN_ALONE_H
#define BRAWN_ALONE_H

#define __libc_malloc_impl behind_malloc
#define __libc_realloc behind_realloc
#define __libc_free behind_free
#define __malloc_atfork behind_atfork
#define __malloc_lock behind_lock
#define __malloc_context behind_context
#define __malloc_size_classes behind_size_classes

#endif
