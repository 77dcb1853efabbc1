/* Reading a whole file, up to the size beyond which it is no text of ours. */
#include <weir/records.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WHERE "weir_records_read_file"
#define FIRST_BYTES ((size_t)64 << 10)

/* A file of zeros, or any other that has no line in its first part, is given up early. */
static int is_blank(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != '\0' && bytes[i] != ' ' && bytes[i] != '\n' && bytes[i] != '\r' &&
            bytes[i] != '\t')
            return 0;
    return 1;
}

static weir_status fail_io(const char *path, int code)
{
    return weir_error_set(WEIR_E_IO, WHERE, "a file with clinfo's output", "%.300s: %s", path,
                          strerror(code));
}

/* Reads into memory that grows by doubling. */
static weir_status slurp(FILE *file, const char *path, char **bytes, size_t *count)
{
    size_t room = FIRST_BYTES;
    size_t got = 0;

    for (*count = 0;; *count += got) {
        char *larger = NULL;

        if (*count + 1 > room / 2 || *bytes == NULL) {
            room *= 2;
            larger = realloc(*bytes, room);
            if (larger == NULL)
                return weir_error_set(WEIR_E_HOST_MEMORY, WHERE, NULL, "%zu bytes for %.300s", room,
                                      path);
            *bytes = larger;
        }
        errno = 0;
        got = fread(*bytes + *count, 1, room - *count, file);
        if (got == 0) break;
        if (*count == 0 && got >= FIRST_BYTES && is_blank(*bytes, got)) {
            *count = got;
            return WEIR_OK;
        }
        if (*count + got > WEIR_RECORDS_BYTES_MAX) {
            *count += got;
            return WEIR_OK;
        }
    }
    return ferror(file) ? fail_io(path, errno) : WEIR_OK;
}

weir_status weir_records_read_file(const char *path, weir_records **out)
{
    int is_stdin = path != NULL && strcmp(path, "-") == 0;
    const char *spoken = is_stdin ? "standard input" : path;
    FILE *file = NULL;
    char *bytes = NULL;
    size_t count = 0;
    struct stat about;
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (path == NULL || out == NULL)
        return weir_error_set(WEIR_E_ARG, WHERE, NULL, "path and out are required");
    file = is_stdin ? stdin : fopen(path, "rb");
    if (file == NULL) return fail_io(path, errno);
    if (fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode))
        status = fail_io(spoken, EISDIR);
    else
        status = slurp(file, spoken, &bytes, &count);
    if (status == WEIR_OK) status = weir_records_read(bytes, count, path, out);
    free(bytes);
    if (!is_stdin) (void)fclose(file);
    return status;
}
