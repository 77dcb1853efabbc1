/* Where random numbers come from: a seed and a count of draws, nothing else. */
#ifndef WEIR_GENERATOR_H
#define WEIR_GENERATOR_H

#include <weir/export.h>

#include <stdint.h>

WEIR_BEGIN_DECLS

/* Element e of draw d depends on (seed, d, e) alone: philox4x32-10 with counter {lo32(e/4), hi32(e/4), lo32(d),
 * hi32(d)} and key {lo32(seed), hi32(seed)}. Plain data: copy it to repeat draws. One thread at a time. */
typedef struct weir_generator {
    uint64_t seed;
    uint64_t next_draw; /* number of the next draw; each drawing call takes one */
} weir_generator;

#define WEIR_GENERATOR_INIT \
    {                       \
        1, 0                \
    }

WEIR_END_DECLS

#endif
