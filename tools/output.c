/* One place that knows how the program talks, so that commands agree: JSON is one indented object on stdout, errors
 * are lines on stderr, and an output that cannot be written is a failure. One thread. */
#include "output.h"

#include "command.h"

#include <weir/record.h>
#include <weir/status.h>

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void output_usage(const char *format, ...)
{
    char line[2048];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *at = line; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 127) *at = ' ';
    }
    (void)fprintf(stderr, "%s\n", line);
}

void output_append(char *buffer, size_t bytes, const char *format, ...)
{
    size_t used = strlen(buffer);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(buffer + used, bytes - used, format, arguments);
    va_end(arguments);
}

void output_error(const char *command)
{
    const weir_error *error = weir_last_error();

    (void)fprintf(stderr, "weir %s: %s\n", command,
                  error->message[0] != '\0' ? error->message : weir_status_text(error->status));
    if (error->hint[0] != '\0') (void)fprintf(stderr, "  %s\n", error->hint);
}

int output_json(json_t *root)
{
    int is_written = 0;

    if (root == NULL) {
        (void)fprintf(stderr, "weir: no host memory for the JSON output\n");
        return PROGRAM_FAILED;
    }
    is_written = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0 &&
                 putchar('\n') != EOF;
    json_decref(root);
    return output_finish(is_written ? PROGRAM_OK : PROGRAM_FAILED);
}

int output_finish(int code)
{
    static int is_reported = 0;

    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (!is_reported)
        (void)fprintf(stderr, "weir: standard output cannot be written: %s\n",
                      errno == 0 ? "an earlier write failed" : strerror(errno));
    is_reported = 1;
    return PROGRAM_FAILED;
}

void output_quirks(const weir_record *record)
{
    weir_quirk quirk;

    for (size_t i = 0; weir_record_get_quirk(record, i, &quirk); i++)
        (void)printf("quirk %s: %s: %s\n  (%s)\n", quirk.name, quirk.effect, quirk.reason,
                     quirk.report);
}

json_t *output_text(const char *text)
{
    size_t bytes = strlen(text);
    json_t *string = json_stringn(text, bytes);
    char *plain = NULL;

    if (string != NULL) return string;
    plain = malloc(bytes + 1);
    if (plain == NULL) return NULL;
    for (size_t i = 0; i <= bytes; i++)
        plain[i] = (char)((unsigned char)text[i] < 128 ? text[i] : '?');
    string = json_stringn(plain, bytes);
    free(plain);
    return string;
}

json_t *output_number(uint64_t number)
{
    return number <= INT64_MAX ? json_integer((json_int_t)number) : json_real((double)number);
}

json_t *output_device(const weir_device *device)
{
    if (device == NULL) return json_null();
    return json_pack("{s:o, s:o, s:o, s:s}", "index", output_text(weir_device_get_index(device)),
                     "platform", output_text(weir_device_get_platform_name(device)), "name",
                     output_text(weir_device_get_name(device)), "class",
                     weir_device_class_name(weir_device_get_class(device)));
}

char *output_bytes(uint64_t value, char *buffer, size_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double scaled = (double)value;
    unsigned unit = 0;

    for (; scaled >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++) scaled /= 1024;
    (void)snprintf(buffer, bytes, "%.*f %s", unit == 0 ? 0 : 1, scaled, units[unit]);
    return buffer;
}

char *output_seconds(double value, char *buffer, size_t bytes)
{
    static const struct {
        double least;
        double scale;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    unsigned i = 0;

    while (value < units[i].least) i++;
    (void)snprintf(buffer, bytes, "%.*f %s", value * units[i].scale < 10 ? 2 : 1,
                   value * units[i].scale, units[i].unit);
    return buffer;
}

int output_has_colours(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    return isatty(fileno(stream)) && (no_color == NULL || no_color[0] == '\0') &&
           terminal != NULL && strcmp(terminal, "dumb") != 0;
}
