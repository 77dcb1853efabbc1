/* The memory configuration of a device: options and environment, resolved to a strategy and a limit. */
#ifndef WI_DEVICE_MEMORY_CONFIG_H
#define WI_DEVICE_MEMORY_CONFIG_H

#include "plan/strategy.h"

#include <weir/device.h>

/* limit_bytes 0: none was set. At most one of limit_bytes and limit_fraction was given; the limit in force follows
 * from both by wi_memory_config_resolve(). */
typedef struct wi_memory_config {
    const wi_strategy *strategy; /* NULL: not chosen by the program */
    uint64_t given_bytes;        /* chosen by the program, 0: not */
    double given_fraction;
    int no_compaction;                    /* chosen by the program */
    const wi_strategy *strategy_in_force; /* never NULL once resolved */
    uint64_t limit_bytes;                 /* in force */
} wi_memory_config;

/** Takes what `options` sets into `config`; members left at zero stay as they are, NULL options clear all.
 * Errors: ARG, nothing changed. */
weir_status wi_memory_config_apply(wi_memory_config *config, const weir_memory_options *options);

/** Works out what is in force: the program's choice, else WEIR_POOL and WEIR_LIMIT, else the defaults.
 * Errors: ARG, which names the variable; then the defaults are in force. */
weir_status wi_memory_config_resolve(wi_memory_config *config, uint64_t device_bytes);

/** Reads "16M", "1073741824" or "50%" (K, M, G are powers of 1024); sets one of the outputs, the other to 0.
 * Returns 0 if it is neither, 0 bytes, or not within (0 %, 100 %]. */
int wi_limit_parse(const char *text, uint64_t *bytes, double *fraction);

#endif
