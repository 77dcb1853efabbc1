/* Ctrl-C as a flag that long work looks at between steps. */
#ifndef WEIR_TOOLS_INTERRUPT_H
#define WEIR_TOOLS_INTERRUPT_H

/** From now on the first Ctrl-C sets the flag; a second one ends the program at once. */
void interrupt_catch(void);

/** Around work that cannot be asked to stop: Ctrl-C writes `line` to stderr and ends the program with exit 130.
 * line   lives until the next call; NULL: from now on the flag is set again */
void interrupt_end_with(const char *line);

/** Returns 1 after a Ctrl-C. */
int interrupt_requested(void);

#endif
