/* A child with a pipe for its stdout. Whatever does not fit is read and dropped, so the child never waits. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(char *const *argv, int output)
{
    int nothing = open("/dev/null", O_RDWR);

    if (nothing >= 0) {
        (void)dup2(nothing, STDIN_FILENO);
        (void)dup2(nothing, STDERR_FILENO);
        (void)dup2(output >= 0 ? output : nothing, STDOUT_FILENO);
        (void)execvp(argv[0], argv);
    }
    _exit(127);
}

static void drain(int from, char *output, size_t bytes)
{
    char rest[4096];
    size_t used = 0;
    ssize_t got = 0;

    for (;;) {
        size_t room = used + 1 < bytes ? bytes - 1 - used : 0;

        got = room > 0 ? read(from, output + used, room) : read(from, rest, sizeof rest);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        used += room > 0 ? (size_t)got : 0;
    }
    output[used] = '\0';
}

int child_run(char *const *argv, char *output, size_t bytes)
{
    int ends[2] = {-1, -1};
    int status = 0;
    pid_t child = 0;

    if (output != NULL) {
        output[0] = '\0';
        if (pipe(ends) != 0) return 127;
    }
    child = fork();
    if (child == 0) {
        if (ends[0] >= 0) (void)close(ends[0]);
        become(argv, ends[1]);
    }
    if (ends[1] >= 0) (void)close(ends[1]);
    if (child > 0 && output != NULL) drain(ends[0], output, bytes);
    if (ends[0] >= 0) (void)close(ends[0]);
    if (child < 0) return 127;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int child_self(char *path, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);

    if (length <= 0 || (size_t)length >= bytes - 1) return 0;
    path[length] = '\0';
    return 1;
}
