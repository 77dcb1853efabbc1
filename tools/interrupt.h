/* Ctrl-C as a flag that long work looks at between steps. */
#ifndef WEIR_TOOLS_INTERRUPT_H
#define WEIR_TOOLS_INTERRUPT_H

/** From now on the first Ctrl-C sets the flag; a second one ends the program at once. */
void interrupt_catch(void);

/** Around work that cannot be asked to stop: Ctrl-C writes `line` to stderr and ends the program with exit 130.
 * line   lives until the next call; NULL: from now on the flag is set again */
void interrupt_end_with(const char *line);

/** While something must be cleared away: SIGTERM and SIGHUP set the flag too, and end the program only at
 * interrupt_release_ends(), the last of them by its own number. May be called again without harm. */
void interrupt_hold_ends(void);
void interrupt_release_ends(void);

/** Returns 1 after a Ctrl-C, or a signal that is held. */
int interrupt_requested(void);

#endif
