/* Numbers and sizes as people write them on a command line. */
#ifndef WEIR_TOOLS_NUMBER_H
#define WEIR_TOOLS_NUMBER_H

#include <stdint.h>

/** Reads a whole decimal number; digits only. Returns 1, or 0 if the text is anything else or passes `max`. */
int number_parse(const char *text, uint64_t max, uint64_t *out);

/** Reads bytes: digits, then nothing, K, M or G (powers of 1024). Returns 1, or 0 also for what passes 2^64 - 1. */
int number_parse_size(const char *text, uint64_t *out);

/** Reads a percentage such as 50% or 12.5% as a fraction in (0, 1]. Returns 1 or 0. */
int number_parse_percentage(const char *text, double *out);

#endif
