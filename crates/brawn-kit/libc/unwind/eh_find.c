/* Finds what describes the code at an address: through the sorted index of the executable, or one by one without it. */

#include <link.h>
#include <stdatomic.h>

#include "frames.h"

enum {
    ENCODING_OMITTED = 0xff,
    FORMAT = 0x0f,
    RELATIVE = 0x70,
    RELATIVE_PC = 0x10,
    RELATIVE_FUNCTION = 0x40,
    ALIGNED = 0x50,
    INDIRECT = 0x80,
    INDEX = 0x3b, /* of four bytes with a sign, counted from the header */
};

/* A pointer as it is encoded. What is counted from a base of data or text has none here. */
word __brawn_unwind_pointer(struct reader *from, uint8_t encoding, word function) {
    if (encoding == ENCODING_OMITTED)
        return 0;
    if (encoding == ALIGNED) {
        from->at += -(word)from->at & (sizeof(word) - 1);
        return read_fixed(from, sizeof(word));
    }
    word place = (word)from->at, value;
    switch (encoding & FORMAT) {
    case 0x00:
    case 0x04:
    case 0x0c:
        value = read_fixed(from, 8);
        break;
    case 0x01:
        value = read_uleb(from);
        break;
    case 0x02:
        value = read_fixed(from, 2);
        break;
    case 0x03:
        value = read_fixed(from, 4);
        break;
    case 0x09:
        value = (word)read_sleb(from);
        break;
    case 0x0a:
        value = (word)(int16_t)read_fixed(from, 2);
        break;
    case 0x0b:
        value = (word)(int32_t)read_fixed(from, 4);
        break;
    default:
        from->failed = true;
        return 0;
    }
    if (value == 0 || from->failed)
        return 0;
    if ((encoding & RELATIVE) == RELATIVE_PC)
        value += place;
    else if ((encoding & RELATIVE) == RELATIVE_FUNCTION)
        value += function;
    return encoding & INDIRECT ? *(const word *)value : value;
}

/* The bounds of an entry behind its length. False at the mark of the end. */
static bool bounds(const uint8_t *entry, struct reader *inside) {
    struct reader head = {entry, entry + 12, false};
    uint64_t length = read_fixed(&head, 4);
    if (length == 0)
        return false;
    if (length == 0xffffffff)
        length = read_fixed(&head, 8);
    *inside = (struct reader){head.at, head.at + length, false};
    return true;
}

static bool decode_cie(const uint8_t *entry, struct fde *fde, uint8_t *data_encoding, bool *has_data) {
    struct reader from;
    if (!bounds(entry, &from) || read_fixed(&from, 4) != 0)
        return false;
    uint8_t version = read_byte(&from);
    if (version != 1 && version != 3 && version != 4)
        return false;
    const uint8_t *letters = from.at;
    while (read_byte(&from) != 0)
        ;
    if (version == 4) {
        if (read_byte(&from) != sizeof(word) || read_byte(&from) != 0)
            return false;
    }
    fde->code_align = read_uleb(&from);
    fde->data_align = read_sleb(&from);
    fde->return_column = version == 1 ? read_byte(&from) : read_uleb(&from);
    fde->encoding = 0;
    fde->personality = 0;
    fde->signal = fde->key_b = false;
    *data_encoding = ENCODING_OMITTED;
    *has_data = *letters == 'z';
    if (*has_data) {
        uint64_t length = read_uleb(&from);
        if (from.failed || length > (uint64_t)(from.end - from.at))
            return false;
        const uint8_t *behind = from.at + length;
        bool known = true;
        while (known && *++letters != 0) {
            switch (*letters) {
            case 'R':
                fde->encoding = read_byte(&from);
                break;
            case 'P': {
                uint8_t encoding = read_byte(&from);
                fde->personality = __brawn_unwind_pointer(&from, encoding, 0);
                break;
            }
            case 'L':
                *data_encoding = read_byte(&from);
                break;
            case 'S':
                fde->signal = true;
                break;
            case 'B':
                fde->key_b = true;
                break;
            case 'G':
                break;
            default:
                known = false;
            }
        }
        from.at = behind;
    } else if (*letters != 0) {
        return false;
    }
    fde->first_program = from.at;
    fde->first_end = from.end;
    return !from.failed && fde->return_column < 128;
}

/* False for anything but an FDE that can be read, whose CIE is not below `low`. */
bool __brawn_unwind_decode(const uint8_t *entry, struct fde *fde, const uint8_t *low) {
    struct reader from;
    uint8_t data_encoding;
    bool has_data;
    if (!bounds(entry, &from))
        return false;
    const uint8_t *place = from.at;
    uint32_t back = read_fixed(&from, 4);
    if (from.failed || back == 0 || (word)place - (word)low < back ||
        !decode_cie(place - back, fde, &data_encoding, &has_data))
        return false;
    fde->begin = entry;
    fde->start = __brawn_unwind_pointer(&from, fde->encoding, 0);
    fde->size = __brawn_unwind_pointer(&from, fde->encoding & FORMAT, 0);
    fde->data = 0;
    if (has_data) {
        uint64_t length = read_uleb(&from);
        if (from.failed || length > (uint64_t)(from.end - from.at))
            return false;
        const uint8_t *behind = from.at + length;
        if (data_encoding != ENCODING_OMITTED)
            fde->data = __brawn_unwind_pointer(&from, data_encoding, fde->start);
        from.at = behind;
    }
    fde->program = from.at;
    fde->end = from.end;
    return !from.failed;
}

/* Looks through a table that ends in a length of zero, or at one entry of it. */
const uint8_t *__brawn_unwind_scan(const uint8_t *frames, word pc, struct fde *fde, bool one) {
    struct reader inside;
    for (const uint8_t *entry = frames; bounds(entry, &inside); entry = inside.end) {
        struct reader head = inside;
        if (read_fixed(&head, 4) != 0 && __brawn_unwind_decode(entry, fde, one ? NULL : frames) &&
            pc - fde->start < fde->size)
            return entry;
        if (one || head.failed)
            break;
    }
    return NULL;
}

static int describe(struct dl_phdr_info *info, size_t size, void *argument) {
    struct image *image = argument;
    const uint8_t *header = NULL;
    word low = ~(word)0, high = 0, read = ~(word)0, read_end = 0;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        word begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
        if (segment->p_type == PT_GNU_EH_FRAME)
            header = (const uint8_t *)begin;
        if (segment->p_type != PT_LOAD)
            continue;
        low = begin < low ? begin : low;
        high = end > high ? end : high;
        if (segment->p_flags & PF_W)
            continue;
        read = begin < read ? begin : read;
        read_end = end > read_end ? end : read_end;
        if ((segment->p_flags & PF_X) && image->code_end == 0) {
            image->code = begin;
            image->code_end = end;
        } else if (segment->p_flags & PF_X) {
            /* Several: what lies between two is no one's code. */
            image->code_end = end;
        }
    }
    image->low = low;
    image->high = high;
    image->read = read;
    image->read_end = read_end;
    if (header == NULL || header[0] != 1)
        return 1;
    struct reader from = {header + 4, header + 4 + 32, false};
    word frames = __brawn_unwind_pointer(&from, header[1], 0);
    if ((header[1] & RELATIVE) == 0x30 && frames != 0)
        frames += (word)header;
    word count = __brawn_unwind_pointer(&from, header[2], 0);
    if (header[3] == INDEX && count != 0) {
        image->header = header;
        image->table = from.at;
        image->count = count;
    } else {
        image->frames = (const uint8_t *)frames;
    }
    return 1;
}

/* Threads that come at once find the same, each for itself; one of them keeps it. */
const struct image *__brawn_unwind_image(struct image *own) {
    enum { UNKNOWN, WRITTEN, KNOWN };
    static struct image image;
    static atomic_uchar state;
    if (__builtin_expect(atomic_load_explicit(&state, memory_order_acquire) == KNOWN, 1))
        return &image;
    struct image found = {0};
    dl_iterate_phdr(describe, &found);
    *own = found;
    unsigned char none = UNKNOWN;
    if (atomic_compare_exchange_strong(&state, &none, WRITTEN)) {
        image = found;
        atomic_store_explicit(&state, KNOWN, memory_order_release);
    }
    return own;
}

struct pair {
    int32_t function, fde;
};

/* The FDE for an address of the executable. */
const uint8_t *__brawn_unwind_find(const struct image *image, word pc, struct fde *fde) {
    if (image->table == NULL)
        return image->frames ? __brawn_unwind_scan(image->frames, pc, fde, false) : NULL;
    const struct pair *pairs = (const struct pair *)image->table;
    intptr_t wanted = (intptr_t)(pc - (word)image->header);
    size_t first = 0, left = image->count;
    while (left > 1) {
        size_t half = left / 2;
        first = pairs[first + half].function <= wanted ? first + half : first;
        left -= half;
    }
    if (pairs[first].function > wanted)
        return NULL;
    const uint8_t *entry = image->header + pairs[first].fde;
    struct reader inside;
    word size = image->high - image->low;
    if ((word)entry - image->low >= size - 12 || !bounds(entry, &inside) ||
        (word)inside.end - image->low > size)
        return NULL;
    bool found =
        __brawn_unwind_decode(entry, fde, (const uint8_t *)image->low) && pc - fde->start < fde->size;
    return found ? entry : NULL;
}
