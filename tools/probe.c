/* The child is this very program, started anew: a forked copy would carry whatever the parent has open into drivers.
 *
 * The answer is one line of JSON; its line end says that it is whole, so neither the child's exit nor a process that a
 * driver left behind with the pipe open is waited for. The child keeps the pipe for itself and gives drivers
 * /dev/null as stdout. One thread. */
#include "probe.h"

#include "command.h"
#include "device_json.h"
#include "interrupt.h"
#include "output.h"
#include "stopwatch.h"

#include <weir/status.h>
#include <weir/system.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define SLICE_MS 50
#define READ_BYTES 65536
#define POLLED_MAX 64
#define ANSWER_BYTES_MAX ((size_t)16 << 20)

extern char **environ;

/* What it has said so far, and how it ended, if it has. */
struct probe {
    pid_t pid;
    int from;
    int status;
    int is_reaped;
    int is_ended; /* the pipe has no writer left */
    int is_over;
    probe_end
        end; /* PROBE_HUNG until it is known better; PROBE_EXITED but for the child's status */
    unsigned seconds;
    double limit; /* stopwatch_now() when the time is over */
    char *text;
    size_t bytes;
};

static int start(probe *p)
{
    static char name[] = "weir";
    static char option[] = "--probe";
    char *const argv[] = {name, option, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    int code = 0;

    if (pipe(ends) != 0) return errno;
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        code = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (code == 0)
            code =
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (code == 0)
            code =
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (code == 0) code = posix_spawn(&p->pid, "/proc/self/exe", &actions, NULL, argv, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)close(ends[1]);
    p->from = ends[0];
    if (code != 0) (void)close(ends[0]);
    return code;
}

/* Reads what is there. Returns 1 once the line is whole. */
static int take(probe *p)
{
    for (;;) {
        char *longer = realloc(p->text, p->bytes + READ_BYTES + 1);
        ssize_t got = 0;

        if (longer == NULL) return 0;
        p->text = longer;
        got = read(p->from, p->text + p->bytes, READ_BYTES);
        if (got < 0 && errno == EINTR) continue;
        p->is_ended = got == 0 || p->bytes > ANSWER_BYTES_MAX;
        if (got <= 0) return 0;
        p->bytes += (size_t)got;
        p->text[p->bytes] = '\0';
        if (p->text[p->bytes - 1] == '\n') return 1;
    }
}

/* Ends the child, unless it has ended, and takes its status. */
static void reap(probe *p)
{
    pid_t ended = 0;

    if (!p->is_reaped) {
        (void)kill(p->pid, SIGKILL);
        do {
            ended = waitpid(p->pid, &p->status, 0);
        } while (ended < 0 && errno == EINTR);
    }
    p->is_reaped = 1;
}

probe *probe_start(unsigned seconds, int *code)
{
    probe *p = calloc(1, sizeof *p);

    *code = ENOMEM;
    if (p == NULL) return NULL;
    p->end = PROBE_HUNG;
    p->seconds = seconds;
    p->limit = stopwatch_now() + seconds;
    *code = start(p);
    if (*code == 0) return p;
    free(p);
    return NULL;
}

static int set_over(probe *p, probe_end end)
{
    p->end = end;
    p->is_over = 1;
    return 1;
}

int probe_is_over(probe *p)
{
    if (p->is_over) return 1;
    if (interrupt_requested()) return set_over(p, PROBE_INTERRUPTED);
    if (!p->is_reaped) p->is_reaped = waitpid(p->pid, &p->status, WNOHANG) == p->pid;
    if (!p->is_ended && take(p)) return set_over(p, PROBE_ANSWERED);
    if (p->is_reaped) return set_over(p, PROBE_EXITED);
    return stopwatch_now() >= p->limit ? set_over(p, PROBE_HUNG) : 0;
}

void probe_wait(probe *const *probes, size_t count)
{
    struct pollfd ready[POLLED_MAX];
    size_t used = 0;
    int slice_ms = SLICE_MS;

    for (size_t i = 0; i < count && used < POLLED_MAX; i++) {
        if (probes[i] == NULL || probes[i]->is_over) continue;
        if (probes[i]->is_ended) {
            slice_ms = 1;
            continue;
        }
        ready[used].fd = probes[i]->from;
        ready[used].events = POLLIN;
        used++;
    }
    (void)poll(ready, used, slice_ms);
}

void probe_end_with(probe *p, probe_result *out)
{
    probe_result result = {PROBE_HUNG, 0, NULL};

    if (p == NULL) return;
    reap(p);
    (void)close(p->from);
    result.end = p->end;
    result.number = (int)p->seconds;
    if (p->end == PROBE_EXITED && WIFSIGNALED(p->status)) {
        result.number = WTERMSIG(p->status);
        result.end = result.number == SIGINT ? PROBE_INTERRUPTED : PROBE_CRASHED;
    } else if (p->end == PROBE_EXITED) {
        result.number = WEXITSTATUS(p->status);
    }
    if (p->end == PROBE_ANSWERED && out != NULL)
        result.text = p->text;
    else
        free(p->text);
    free(p);
    if (out != NULL) *out = result;
}

void probe_run(unsigned seconds, probe_result *out)
{
    probe *p = NULL;

    memset(out, 0, sizeof *out);
    out->end = PROBE_NOT_STARTED;
    p = probe_start(seconds, &out->number);
    while (p != NULL && !probe_is_over(p)) probe_wait(&p, 1);
    probe_end_with(p, out);
}

const char *probe_describe(const probe_result *result, char *buffer, size_t bytes)
{
    buffer[0] = '\0';
    switch (result->end) {
    case PROBE_CRASHED:
        output_append(buffer, bytes, "crashed (%s)", strsignal(result->number));
        break;
    case PROBE_EXITED:
        output_append(buffer, bytes, "ended the program (exit status %d)", result->number);
        break;
    case PROBE_HUNG:
        output_append(buffer, bytes, "did not answer within %d s", result->number);
        break;
    case PROBE_NOT_STARTED:
        output_append(buffer, bytes, "could not be tried (%s)", strerror(result->number));
        break;
    case PROBE_INTERRUPTED:
        output_append(buffer, bytes, "was interrupted");
        break;
    case PROBE_ANSWERED:
        output_append(buffer, bytes, "answered");
        break;
    }
    return buffer;
}

/* Adds why there is no device, as one line and at length. */
static int add_reason(json_t *root, const weir_system *system)
{
    weir_device *device = NULL;
    weir_text *text = NULL;
    int is_none = weir_system_count(system) == 0;
    int is_added = 0;

    if (weir_text_create(&text) != WEIR_OK) return 0;
    if (is_none) weir_system_explain(system, text);
    is_none = is_none && weir_system_find(system, NULL, &device) != WEIR_OK;
    is_added = json_object_set_new(root, "reason",
                                   output_text(is_none ? weir_last_error()->message : "")) == 0 &&
               json_object_set_new(root, "explanation", output_text(weir_text_get(text))) == 0;
    weir_text_destroy(text);
    return is_added;
}

json_t *probe_here(void)
{
    weir_system *system = NULL;
    json_t *root = NULL;

    if (weir_system_create(&system) != WEIR_OK)
        return json_pack("{s:o, s:o}", "error", output_text(weir_last_error()->message), "hint",
                         output_text(weir_last_error()->hint));
    root = device_json_system(system);
    if (root != NULL && !add_reason(root, system)) {
        json_decref(root);
        root = NULL;
    }
    weir_system_destroy(system);
    return root;
}

static void write_all(int to, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(to, text, bytes);

        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(PROGRAM_FAILED);
        text += written;
        bytes -= (size_t)written;
    }
}

void probe_answer(void)
{
    const struct rlimit none = {0, 0};
    int to = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    json_t *root = NULL;
    char *text = NULL;

#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    (void)setrlimit(RLIMIT_CORE, &none);
    if (to < 0 || nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0) _exit(PROGRAM_FAILED);
    root = probe_here();
    text = root != NULL ? json_dumps(root, JSON_COMPACT) : NULL;
    if (text == NULL) _exit(PROGRAM_FAILED);
    write_all(to, text, strlen(text));
    write_all(to, "\n", 1);
    /* Drivers are left as they are: some crash when they are unloaded. */
    _exit(PROGRAM_OK);
}
