/* Time that only moves forward. */
#ifndef WEIR_TOOLS_STOPWATCH_H
#define WEIR_TOOLS_STOPWATCH_H

/** Returns seconds since some moment before the program began. Thread: safe. */
double stopwatch_now(void);

/** Returns seconds of processor time that this thread has used: what counts on a machine that does other work, too. */
double stopwatch_thread(void);

#endif
