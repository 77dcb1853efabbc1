/* The handler only stores a flag. It stands for one signal (SA_RESETHAND), so that work which does not look at the
 * flag, such as a driver's compiler that hangs, can still be ended from the keyboard. */
#include "interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t is_requested;

static void note(int number)
{
    (void)number;
    is_requested = 1;
}

void interrupt_catch(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
}

int interrupt_requested(void) { return is_requested != 0; }
