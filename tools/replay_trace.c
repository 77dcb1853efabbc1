/* The reader trusts nothing: a trace may be cut, shuffled, binary or one endless line. It looks at a buffer of fixed size,
 * so memory grows only with the blocks alive at one time; the sizes of these and the ids are kept, which finds frees of
 * what is not there. The first mistake ends it with file, line, what stands there and what was expected. One thread. */
#include "replay_trace.h"

#include "command.h"
#include "id_table.h"
#include "number.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_MOST 255 /* bytes without the end; four numbers have fewer than 80 */
#define BUFFER_BYTES ((size_t)1 << 16U)
#define COLUMNS 4

typedef enum line_kind { LINE_LIVE, LINE_ALLOC, LINE_FREE, LINE_KINDS } line_kind;

static const char *const kind_names[LINE_KINDS] = {"live", "alloc", "free"};
static const char heading[] = "event,id,bytes,queue";

/* Invariants: start <= end <= BUFFER_BYTES; live_bytes == sum of sizes of slots in use <= peak_bytes. */
struct trace_reader {
    const char *name; /* for messages */
    int file;
    int is_end; /* of the file: nothing more than what is in the buffer */
    char buffer[BUFFER_BYTES];
    size_t start, end; /* of what is not looked at yet */
    char line[LINE_MOST + 1];
    uint64_t line_number;
    uint64_t done_bytes, total_bytes;
    int is_past_live; /* a line that is not `live` was seen */
    int is_held;      /* the last line read belongs to the next batch */
    trace_event held;
    id_table *ids;
    uint64_t *sizes; /* by slot */
    size_t size_count;
    uint64_t live_bytes, peak_bytes, alloc_count;
};

/* Names what is wrong with the line at hand. */
static int refuse(const trace_reader *reader, const char *what, const char *expected)
{
    output_usage("weir replay: %s:%llu: %s; expected %s", reader->name,
                 (unsigned long long)reader->line_number, what, expected);
    return PROGRAM_USAGE;
}

/* As refuse(), with a piece of the line, cut and without what a terminal would not show. */
static int refuse_text(const trace_reader *reader, const char *column, const char *text,
                       const char *expected)
{
    char what[128];
    char shown[41];
    size_t i = 0;

    for (; i + 1 < sizeof shown && text[i] != '\0'; i++)
        shown[i] =
            (char)((unsigned char)text[i] < ' ' || (unsigned char)text[i] > '~' ? '?' : text[i]);
    shown[i] = '\0';
    (void)snprintf(what, sizeof what, "%s '%s'%s is not valid", column, shown,
                   text[i] == '\0' ? "" : "...");
    return refuse(reader, what, expected);
}

static int fail_memory(void)
{
    (void)fprintf(stderr, "weir replay: no host memory for the blocks of the trace\n");
    return PROGRAM_FAILED;
}

/* Gets more bytes behind those in the buffer. Returns PROGRAM_OK also at the end. */
static int fill(trace_reader *reader)
{
    ssize_t got;

    memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
    reader->end -= reader->start;
    reader->start = 0;
    do got = read(reader->file, reader->buffer + reader->end, BUFFER_BYTES - reader->end);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        output_usage("weir replay: %s cannot be read: %s", reader->name, strerror(errno));
        return PROGRAM_USAGE;
    }
    reader->is_end = got == 0;
    reader->end += (size_t)got;
    reader->done_bytes += (uint64_t)got;
    return PROGRAM_OK;
}

/* Reads the next line into reader->line, without its end. *is_there: 0 at the end of the file. */
static int read_line(trace_reader *reader, int *is_there)
{
    const char *found = NULL;
    size_t bytes = 0;
    int code = PROGRAM_OK;

    *is_there = 0;
    for (;;) {
        const size_t there = reader->end - reader->start;

        found = memchr(reader->buffer + reader->start, '\n', there);
        if (found != NULL || reader->is_end || there > LINE_MOST + 1) break;
        code = fill(reader);
        if (code != PROGRAM_OK) return code;
    }
    bytes = found != NULL ? (size_t)(found - (reader->buffer + reader->start))
                          : reader->end - reader->start;
    if (found == NULL && bytes == 0) return PROGRAM_OK;
    reader->line_number++;
    if (bytes > 0 && bytes <= LINE_MOST + 1 && reader->buffer[reader->start + bytes - 1] == '\r')
        bytes--;
    if (bytes > LINE_MOST)
        return refuse(reader, "a line of more than 255 bytes", "event,id,bytes,queue");
    memcpy(reader->line, reader->buffer + reader->start, bytes);
    reader->line[bytes] = '\0';
    if (strlen(reader->line) != bytes)
        return refuse(reader, "a zero byte", "text: event,id,bytes,queue");
    reader->start = found != NULL ? (size_t)(found - reader->buffer) + 1 : reader->end;
    *is_there = 1;
    return PROGRAM_OK;
}

/* Cuts the line at its commas. Returns the number of columns, at most COLUMNS + 1. */
static unsigned cut_columns(char *line, char **columns)
{
    unsigned count = 0;
    char *at = line;

    while (count < COLUMNS) {
        columns[count++] = at;
        at = strchr(at, ',');
        if (at == NULL) return count;
        *at++ = '\0';
    }
    return COLUMNS + 1;
}

static int add_block(trace_reader *reader, uint64_t id, uint64_t bytes, trace_event *event)
{
    if (id_table_find(reader->ids, id) != ID_NO_SLOT)
        return refuse(reader, "the id names a block that is alive", "an id that is free");
    if (bytes > INT64_MAX - reader->live_bytes)
        return refuse(reader, "the blocks alive add up to more than 2^63 - 1 bytes", "less");
    event->bytes = bytes;
    event->slot = id_table_add(reader->ids, id);
    if (event->slot == ID_NO_SLOT) return fail_memory();
    if (event->slot >= reader->size_count) {
        const size_t count = 2 * event->slot + 1024;
        uint64_t *sizes = realloc(reader->sizes, count * sizeof *sizes);

        if (sizes == NULL) return fail_memory();
        reader->sizes = sizes;
        reader->size_count = count;
    }
    reader->sizes[event->slot] = bytes;
    reader->live_bytes += bytes;
    if (reader->live_bytes > reader->peak_bytes) reader->peak_bytes = reader->live_bytes;
    return PROGRAM_OK;
}

static int remove_block(trace_reader *reader, uint64_t id, trace_event *event)
{
    event->bytes = 0;
    event->slot = id_table_find(reader->ids, id);
    if (event->slot == ID_NO_SLOT)
        return refuse(reader, "free of an id that names no block", "the id of one that is alive");
    id_table_remove(reader->ids, id);
    reader->live_bytes -= reader->sizes[event->slot];
    return PROGRAM_OK;
}

/* Reads the line at hand as an event. */
static int read_event(trace_reader *reader, line_kind *kind, trace_event *event)
{
    char *columns[COLUMNS];
    const unsigned count = cut_columns(reader->line, columns);
    uint64_t id = 0;
    uint64_t bytes = 0;
    uint64_t queue = 0;
    unsigned i = 0;

    while (i < LINE_KINDS && strcmp(columns[0], kind_names[i]) != 0) i++;
    if (i == LINE_KINDS) return refuse_text(reader, "event", columns[0], "live, alloc or free");
    if (count != COLUMNS)
        return refuse(reader, count < COLUMNS ? "a column is missing" : "a column too many",
                      "event,id,bytes,queue");
    *kind = (line_kind)i;
    if (!number_parse(columns[1], UINT64_MAX, &id))
        return refuse_text(reader, "id", columns[1], "a whole number from 0 to 2^64 - 1");
    if (!number_parse(columns[3], UINT32_MAX, &queue))
        return refuse_text(reader, "queue", columns[3], "a whole number from 0 to 2^32 - 1");
    if (*kind == LINE_FREE) {
        if (columns[2][0] != '\0')
            return refuse_text(reader, "bytes", columns[2], "none for a free");
        return remove_block(reader, id, event);
    }
    if (!number_parse(columns[2], INT64_MAX, &bytes) || bytes == 0)
        return refuse_text(reader, "bytes", columns[2], "a whole number from 1 to 2^63 - 1");
    if (*kind == LINE_LIVE && reader->is_past_live)
        return refuse(reader, "live after other events", "all live lines first");
    if (*kind == LINE_ALLOC) reader->alloc_count++;
    return add_block(reader, id, bytes, event);
}

static int read_heading(trace_reader *reader)
{
    int is_there = 0;
    int code = read_line(reader, &is_there);

    if (code != PROGRAM_OK) return code;
    if (!is_there) {
        reader->line_number = 1;
        return refuse(reader, "the file is empty", "the heading event,id,bytes,queue");
    }
    if (strcmp(reader->line, heading) != 0)
        return refuse_text(reader, "heading", reader->line, heading);
    return PROGRAM_OK;
}

int trace_open(const char *path, trace_reader **out)
{
    const int is_stdin = strcmp(path, "-") == 0;
    trace_reader *reader = calloc(1, sizeof *reader);
    struct stat about;
    int code = PROGRAM_OK;

    *out = NULL;
    if (reader == NULL) return fail_memory();
    reader->name = is_stdin ? "standard input" : path;
    reader->file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    reader->ids = id_table_create();
    if (reader->file < 0) {
        output_usage("weir replay: %s cannot be read: %s", path, strerror(errno));
        code = PROGRAM_USAGE;
        goto done;
    }
    if (reader->ids == NULL) {
        code = fail_memory();
        goto done;
    }
    if (fstat(reader->file, &about) == 0 && S_ISREG(about.st_mode))
        reader->total_bytes = (uint64_t)about.st_size;
    code = read_heading(reader);
    if (code != PROGRAM_OK) goto done;
    *out = reader;
    reader = NULL;
done:
    trace_close(reader);
    return code;
}

void trace_close(trace_reader *reader)
{
    if (reader == NULL) return;
    if (reader->file > STDIN_FILENO) (void)close(reader->file);
    id_table_destroy(reader->ids);
    free(reader->sizes);
    free(reader);
}

int trace_read(trace_reader *reader, trace_batch *batch)
{
    batch->count = 0;
    if (reader->is_held) batch->events[batch->count++] = reader->held;
    reader->is_held = 0;
    batch->is_live = !reader->is_past_live;
    while (batch->count < TRACE_BATCH) {
        line_kind kind = LINE_LIVE;
        trace_event event = {0, 0};
        int is_there = 0;
        int code = read_line(reader, &is_there);

        if (code == PROGRAM_OK && is_there) code = read_event(reader, &kind, &event);
        if (code != PROGRAM_OK) return code;
        if (!is_there) break;
        if (kind != LINE_LIVE && !reader->is_past_live) {
            reader->is_past_live = 1;
            if (batch->count > 0) { /* the batch so far is live, this event is not */
                reader->held = event;
                reader->is_held = 1;
                break;
            }
            batch->is_live = 0;
        }
        batch->events[batch->count++] = event;
    }
    return PROGRAM_OK;
}

size_t trace_slots(const trace_reader *reader) { return id_table_slots(reader->ids); }

uint64_t trace_peak_live(const trace_reader *reader) { return reader->peak_bytes; }

uint64_t trace_allocs(const trace_reader *reader) { return reader->alloc_count; }

void trace_progress(const trace_reader *reader, uint64_t *done, uint64_t *total)
{
    *done = reader->done_bytes;
    *total = reader->total_bytes;
}
