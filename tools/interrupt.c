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
static volatile sig_atomic_t held; /* the signal that came while ends were held; 0: none */
static int are_ends_held;
static struct sigaction kept[2];
static const int ends[] = {SIGTERM, SIGHUP};
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

static void note_end(int number)
{
    held = number;
    is_requested = 1;
}

void interrupt_hold_ends(void)
{
    struct sigaction action;

    if (are_ends_held) return;
    are_ends_held = 1;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_end;
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        (void)sigaction(ends[i], NULL, &kept[i]);
        /* Who ignores one, as nohup does, goes on doing so. */
        if (kept[i].sa_handler != SIG_IGN) (void)sigaction(ends[i], &action, NULL);
    }
}

void interrupt_release_ends(void)
{
    if (!are_ends_held) return;
    are_ends_held = 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        (void)sigaction(ends[i], &kept[i], NULL);
    if (held != 0) (void)raise((int)held);
}

void interrupt_end_with(const char *line) { atomic_store(&last_line, line); }

int interrupt_requested(void) { return is_requested != 0; }
