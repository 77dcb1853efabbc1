/* Time that only moves forward. */
#ifndef WEIR_TOOLS_STOPWATCH_H
#define WEIR_TOOLS_STOPWATCH_H

/** Returns seconds since some moment before the program began. Thread: safe. */
double stopwatch_now(void);

#endif
