/* jemalloc's public interface as its own sources see it: the parts of its header that need a configure
 * script, and its templates for the rest. */
#ifndef BRAWN_JEMALLOC_H
#define BRAWN_JEMALLOC_H

#define JEMALLOC_HAVE_ATTR
#define JEMALLOC_HAVE_ATTR_COLD
#define JEMALLOC_HAVE_ATTR_FALLTHROUGH
#define JEMALLOC_EXPORT
#define JEMALLOC_USABLE_SIZE_CONST const
#define LG_SIZEOF_PTR 3
#define JEMALLOC_CONFIG_ENV

#include "jemalloc/jemalloc_macros.h.in"
#undef JEMALLOC_VERSION
#undef JEMALLOC_VERSION_MAJOR
#undef JEMALLOC_VERSION_MINOR
#undef JEMALLOC_VERSION_BUGFIX
#undef JEMALLOC_VERSION_NREV
#undef JEMALLOC_VERSION_GID
#undef JEMALLOC_VERSION_GID_IDENT
#define JEMALLOC_VERSION BRAWN_KIT_VERSION
#define JEMALLOC_VERSION_MAJOR 5
#define JEMALLOC_VERSION_MINOR 3
#define JEMALLOC_VERSION_BUGFIX 1
#define JEMALLOC_VERSION_NREV 0
#define JEMALLOC_VERSION_GID "0"
#define JEMALLOC_VERSION_GID_IDENT 0

#include "jemalloc/jemalloc_typedefs.h.in"

extern const char *je_malloc_conf;
extern const char *je_malloc_conf_2_conf_harder;
extern void (*je_malloc_message)(void *, const char *);

void *je_malloc(size_t);
void *je_calloc(size_t, size_t);
int je_posix_memalign(void **, size_t, size_t);
void *je_aligned_alloc(size_t, size_t);
void *je_realloc(void *, size_t);
void je_free(void *);
void je_free_sized(void *, size_t);
void je_free_aligned_sized(void *, size_t, size_t);
void *je_mallocx(size_t, int);
void *je_rallocx(void *, size_t, int);
size_t je_xallocx(void *, size_t, size_t, int);
size_t je_sallocx(const void *, int);
void je_dallocx(void *, int);
void je_sdallocx(void *, size_t, int);
size_t je_nallocx(size_t, int);
int je_mallctl(const char *, void *, size_t *, void *, size_t);
int je_mallctlnametomib(const char *, size_t *, size_t *);
int je_mallctlbymib(const size_t *, size_t, void *, size_t *, void *, size_t);
void je_malloc_stats_print(void (*)(void *, const char *), void *, const char *);
size_t je_malloc_usable_size(const void *);

#endif
