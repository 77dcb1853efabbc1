/* The memory configuration of a device: options and environment, resolved to a strategy and a limit. */
#ifndef WI_DEVICE_MEMORY_CONFIG_H
#define WI_DEVICE_MEMORY_CONFIG_H

#include "plan/strategy.h"

#include <weir/device.h>

#define WI_DEBUG_LEVEL_MAX 3

/* What the program chose, and what follows from it by wi_memory_config_resolve(). At most one of given_bytes and
 * given_fraction is not 0. */
typedef struct wi_memory_config {
    const wi_strategy *strategy; /* NULL: not chosen by the program */
    uint64_t given_bytes;        /* chosen by the program, 0: not */
    double given_fraction;
    int no_compaction;                    /* chosen by the program */
    unsigned given_debug;                 /* chosen by the program, 0: not */
    const wi_strategy *strategy_in_force; /* never NULL once resolved */
    uint64_t limit_bytes;                 /* in force */
    int is_limit_set; /* 1: by the program or WEIR_LIMIT; 0: the strategy's default is in force */
    unsigned debug_level; /* in force, 0 .. WI_DEBUG_LEVEL_MAX */
} wi_memory_config;

/** Takes what `options` sets into `config`; members left at zero stay as they are, NULL options clear all.
 * where   the public call, for the record
 * Errors: ARG, nothing changed. */
weir_status wi_memory_config_apply(wi_memory_config *config, const weir_memory_options *options,
                                   const char *where);

/** Works out what is in force: the program's choice, else the environment, else the default strategy and the
 * strategy's own limit for a device of that memory.
 * Errors: ARG, which names the variable; then the defaults are in force. */
weir_status wi_memory_config_resolve(wi_memory_config *config, uint64_t device_bytes);

/** 1 if the same strategy, limit and choice on compaction are in force. */
int wi_memory_config_equal(const wi_memory_config *a, const wi_memory_config *b);

/** Reads "16M", "1073741824" or "50%" (K, M, G are powers of 1024); sets one of the outputs, the other to 0.
 * Returns 0 if it is neither, 0 bytes, or not within (0 %, 100 %]. */
int wi_limit_parse(const char *text, uint64_t *bytes, double *fraction);

#endif
