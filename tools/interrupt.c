/* The handler only stores a flag. It stands for one signal (SA_RESETHAND), so that work which does not look at the
 * flag, such as a driver's compiler that hangs, can still be ended from the keyboard. Work of one call that may be long
 * gives a line instead, which the handler writes before it ends the program by calls that a handler may make. */
#include "interrupt.h"

#include "command.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t is_requested;
static _Atomic(const char *) last_line;

static void note(int number)
{
    const char *line = atomic_load(&last_line);
    size_t bytes = 0;
    ssize_t written = 0;

    (void)number;
    is_requested = 1;
    if (line == NULL) return;
    while (line[bytes] != '\0') bytes++;
    written = write(STDERR_FILENO, line, bytes);
    (void)written; /* a line that cannot be written changes nothing */
    _exit(PROGRAM_INTERRUPTED);
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

void interrupt_end_with(const char *line) { atomic_store(&last_line, line); }

int interrupt_requested(void) { return is_requested != 0; }
