/* Ctrl-C as a flag that long work looks at between steps. */
#ifndef WEIR_TOOLS_INTERRUPT_H
#define WEIR_TOOLS_INTERRUPT_H

/** From now on the first Ctrl-C sets the flag; a second one ends the program at once. */
void interrupt_catch(void);

/** Returns 1 after a Ctrl-C. */
int interrupt_requested(void);

#endif
