/* The new file lies in the folder of the old one, since a rename within a folder cannot fail half way. Its mode is what
 * open() would have given a new file, or that of the file it takes the place of. One thread. */
#include "output_file.h"

#include "command.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int complain(const char *command, const char *path)
{
    output_usage("weir %s: %s cannot be written: %s", command, path, strerror(errno));
    return PROGRAM_FAILED;
}

/* Writes and closes. Returns 1, or 0 and errno. */
static int write_all(int file, const char *data, size_t bytes)
{
    int failure = 0;

    while (bytes > 0 && failure == 0) {
        ssize_t written = write(file, data, bytes);

        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            failure = errno;
        } else {
            data += written;
            bytes -= (size_t)written;
        }
    }
    if (close(file) != 0 && failure == 0) failure = errno;
    errno = failure;
    return failure == 0;
}

/* Returns the mode that a file made now would have. */
static mode_t new_mode(void)
{
    mode_t mask = umask(0);

    (void)umask(mask);
    return 0666 & ~mask;
}

/* Writes `path`, which is a file or not there. Returns 1, or 0 and errno. */
static int replace(const char *path, mode_t mode, const char *data, size_t bytes)
{
    char beside[PATH_MAX + 8];
    int file = -1;
    int failure = 0;

    (void)snprintf(beside, sizeof beside, "%s.XXXXXX", path);
    file = mkstemp(beside);
    if (file < 0) return 0;
    (void)fchmod(file, mode);
    if (write_all(file, data, bytes) && rename(beside, path) == 0) return 1;
    failure = errno;
    (void)unlink(beside);
    errno = failure;
    return 0;
}

int output_file_write(const char *command, const char *path, const char *data, size_t bytes)
{
    char resolved[PATH_MAX];
    struct stat info;
    int file = -1;

    if (strcmp(path, "-") == 0) {
        (void)fwrite(data, 1, bytes, stdout);
        return output_finish(PROGRAM_OK);
    }
    if (stat(path, &info) != 0) {
        if (errno != ENOENT || strlen(path) >= PATH_MAX) return complain(command, path);
        return replace(path, new_mode(), data, bytes) ? PROGRAM_OK : complain(command, path);
    }
    if (S_ISREG(info.st_mode)) {
        if (access(path, W_OK) != 0 || realpath(path, resolved) == NULL)
            return complain(command, path);
        return replace(resolved, info.st_mode & 0777, data, bytes) ? PROGRAM_OK
                                                                   : complain(command, path);
    }
    file = open(path, O_WRONLY);
    if (file < 0 || !write_all(file, data, bytes)) return complain(command, path);
    return PROGRAM_OK;
}
