/* Programs run beside a measurement. */
#ifndef WEIR_BENCH_CHILD_H
#define WEIR_BENCH_CHILD_H

#include <stddef.h>

/** Runs a program found on PATH and waits for it; stdin is empty, stderr goes nowhere.
 * argv     ended by NULL
 * output   what it printed, cut to fit and zero-terminated; NULL: stdout goes nowhere
 * Returns its exit code, 127 if it cannot be run, 128 + n if signal n ended it. */
int child_run(char *const *argv, char *output, size_t bytes);

/** Writes the path of this program; returns 1, or 0 where the system does not tell it. */
int child_self(char *path, size_t bytes);

#endif
