/* The one object of a static executable, whose headers are looked through once. */

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

extern const size_t _DYNAMIC[] __attribute__((weak, visibility("hidden")));
extern void *__tls_get_addr(size_t *);

int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *info, size_t size, void *data), void *data) {
    /* Threads that come at once find the same. */
    static _Atomic(uintptr_t) headers, count, base;
    static _Atomic(size_t) module;
    static atomic_bool known;
    if (!atomic_load_explicit(&known, memory_order_acquire)) {
        uintptr_t at = getauxval(AT_PHDR), number = getauxval(AT_PHNUM), size = getauxval(AT_PHENT), low = 0;
        size_t of_threads = 0;
        for (uintptr_t i = 0; i < number; i++) {
            const ElfW(Phdr) *header = (const ElfW(Phdr) *)(at + i * size);
            if (header->p_type == PT_PHDR)
                low = at - header->p_vaddr;
            if (header->p_type == PT_DYNAMIC && _DYNAMIC)
                low = (uintptr_t)_DYNAMIC - header->p_vaddr;
            if (header->p_type == PT_TLS)
                of_threads = 1;
        }
        atomic_store_explicit(&headers, at, memory_order_relaxed);
        atomic_store_explicit(&count, number, memory_order_relaxed);
        atomic_store_explicit(&base, low, memory_order_relaxed);
        atomic_store_explicit(&module, of_threads, memory_order_relaxed);
        atomic_store_explicit(&known, true, memory_order_release);
    }
    struct dl_phdr_info info = {
        .dlpi_addr = atomic_load_explicit(&base, memory_order_relaxed),
        .dlpi_name = "/proc/self/exe",
        .dlpi_phdr = (const ElfW(Phdr) *)atomic_load_explicit(&headers, memory_order_relaxed),
        .dlpi_phnum = (uint16_t)atomic_load_explicit(&count, memory_order_relaxed),
        .dlpi_tls_modid = atomic_load_explicit(&module, memory_order_relaxed),
    };
    if (info.dlpi_tls_modid != 0)
        info.dlpi_tls_data = __tls_get_addr((size_t[]){1, 0});
    return callback(&info, sizeof info, data);
}
