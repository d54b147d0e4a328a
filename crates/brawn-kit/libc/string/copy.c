/* Copies of more than 64 bytes, for memcpy, memmove, mempcpy, memccpy and the wide ones: one object, so that
 * a program pays for it once.
 *
 * Plan: up to eight vectors, all are loaded before the first is stored. Beyond, the ends are kept in
 * registers and the middle goes in aligned groups of four: forwards, or backwards when the target begins
 * inside the source. Where the CPU has fast `rep movsb`, it takes long blocks that do not overlap. */
#define BRAWN_COPY_BODY
#define BRAWN_BODY "copy_body.h"
#include "copy.h"
#include "levels.h"
