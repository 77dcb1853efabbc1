/* Sniffing: outputs begin with lines that stand nowhere else; lines without such a beginning belong to the format that
 * knows most of them. Each line is looked at a bounded number of times. No state. */
#include "records/sniff.h"

#include <string.h>

#define JSON_LOOK_BYTES 4096

/* A line that begins JSON of clinfo or of weir. */
static int begins_json(const wi_lines *lines, const wi_line *line)
{
    static const char *const keys[] = {"\"platforms\"", "\"devices\"", "\"records\""};
    size_t from = (size_t)(line->text.at - lines->memory);
    wi_span text = {line->text.at, lines->bytes - from};

    if (line->text.bytes == 0 || line->text.at[0] != '{') return 0;
    if (text.bytes > JSON_LOOK_BYTES) text.bytes = JSON_LOOK_BYTES;
    /* What `clinfo -l --json` printed for years: names without quotes. */
    if (wi_span_find(text, "{0.0: ") < text.bytes) return 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (wi_span_find(text, keys[i]) < text.bytes) return 1;
    return 0;
}

/* Number behind `word`, at the start of a line; 0 if the line is something else. */
static int has_number(const wi_line *line, const char *word, uint64_t *number)
{
    wi_span rest = line->text;

    if (!wi_span_starts(rest, word)) return 0;
    rest = wi_span_trim(wi_span_skip(rest, strlen(word)));
    return wi_span_number(&rest, number);
}

/* "0: name", before "0.0: name" or "1: name". */
static int begins_raw_list(const wi_lines *lines, wi_cursor next, const wi_line *line)
{
    wi_line following;

    if (!wi_span_starts(line->text, "0: ")) return 0;
    return wi_lines_next(lines, lines->bytes, &next, &following) &&
           (wi_span_starts(following.text, "0.0: ") || wi_span_starts(following.text, "1: "));
}

/* The format whose output begins with this line, NONE for any other line. */
static wi_format format_begun(const wi_lines *lines, wi_cursor next, const wi_line *line)
{
    uint64_t number = 0;

    if (line->text.bytes == 0) return WI_FORMAT_NONE;
    if (has_number(line, "Number of platforms:", &number)) return WI_FORMAT_AMD;
    if (has_number(line, "Number of platforms ", &number)) return WI_FORMAT_HUMAN;
    if (has_number(line, "Number of platforms\t", &number)) return WI_FORMAT_HUMAN;
    if (has_number(line, "#PLATFORMS", &number)) return WI_FORMAT_RAW;
    if (has_number(line, "Platform #", &number) && number == 0) return WI_FORMAT_LIST;
    if (wi_span_starts(line->text, "{ \"platforms\"") && wi_list_knows(line)) return WI_FORMAT_LIST;
    if (begins_raw_list(lines, next, line)) return WI_FORMAT_LIST;
    return begins_json(lines, line) ? WI_FORMAT_JSON : WI_FORMAT_NONE;
}

/* The format that knows most of the lines counted; NONE if none of them is sure and few are likely. */
static wi_format best_of(const size_t sure[WI_FORMAT_COUNT], const size_t maybe[WI_FORMAT_COUNT])
{
    wi_format best = WI_FORMAT_NONE;
    size_t most = 0;

    for (int i = WI_FORMAT_HUMAN; i < WI_FORMAT_COUNT; i++) {
        size_t points = sure[i] * 2 + maybe[i];

        if ((sure[i] > 0 || maybe[i] >= 2) && points > most) {
            best = (wi_format)i;
            most = points;
        }
    }
    return best;
}

static void count_line(const wi_readers *readers, const wi_line *line, size_t sure[WI_FORMAT_COUNT],
                       size_t maybe[WI_FORMAT_COUNT])
{
    int known[WI_FORMAT_COUNT] = {0};

    if (line->text.bytes == 0) return;
    known[WI_FORMAT_HUMAN] = wi_human_knows(&readers->human, line);
    known[WI_FORMAT_AMD] = wi_amd_knows(&readers->amd, line);
    known[WI_FORMAT_RAW] = wi_raw_knows(line);
    known[WI_FORMAT_LIST] = wi_list_knows(line);
    for (int i = WI_FORMAT_HUMAN; i < WI_FORMAT_COUNT; i++) {
        sure[i] += known[i] == 2;
        maybe[i] += known[i] == 1;
    }
}

static int json_output(const wi_lines *lines, const wi_line *line, wi_cursor *cursor,
                       wi_output *out)
{
    wi_line passed;

    out->part.from = (size_t)(line->text.at - lines->memory);
    out->part.line = line->number - 1;
    out->part.to = wi_json_end(lines, out->part.from);
    out->format = WI_FORMAT_JSON;
    while (cursor->offset < out->part.to && wi_lines_next(lines, lines->bytes, cursor, &passed)) {}
    out->last_line = cursor->number;
    return 1;
}

int wi_sniff_next(const wi_readers *readers, const wi_lines *lines, wi_cursor *cursor,
                  wi_output *out)
{
    size_t sure[WI_FORMAT_COUNT] = {0};
    size_t maybe[WI_FORMAT_COUNT] = {0};
    wi_line line;

    memset(out, 0, sizeof *out);
    out->part.from = cursor->offset;
    out->part.line = cursor->number;
    if (!wi_lines_next(lines, lines->bytes, cursor, &line)) return 0;
    out->format = format_begun(lines, *cursor, &line);
    if (out->format == WI_FORMAT_JSON) return json_output(lines, &line, cursor, out);
    for (;;) {
        wi_cursor next = *cursor;

        out->part.to = next.offset < lines->bytes ? next.offset : lines->bytes;
        out->last_line = next.number;
        if (out->format == WI_FORMAT_NONE) count_line(readers, &line, sure, maybe);
        if (!wi_lines_next(lines, lines->bytes, cursor, &line)) break;
        if (format_begun(lines, *cursor, &line) != WI_FORMAT_NONE) {
            *cursor = next;
            break;
        }
    }
    if (out->format == WI_FORMAT_NONE) out->format = best_of(sure, maybe);
    return 1;
}
