/* Device records out of texts: what clinfo, AMD's clinfo or weir itself printed on some machine.
 *
 * This header belongs to the library weir_records (weir::records, pkg-config weir-records), which needs jansson beside
 * weir. A reader takes every text apart as far as it can and says in its warnings what it left out; it never guesses. Of
 * several outputs in one text the last complete one is read.
 */
#ifndef WEIR_RECORDS_H
#define WEIR_RECORDS_H

#include <weir/property.h>
#include <weir/record.h>
#include <weir/status.h>

#include <stddef.h>

WEIR_BEGIN_DECLS

/* The devices that one text tells of. */
typedef struct weir_records weir_records;

/* A text larger than this is none of clinfo's, which have some kilobytes a device. */
#define WEIR_RECORDS_BYTES_MAX ((size_t)16 << 20)

/** Reads a text: clinfo's output for people, --raw, --json or -l, AMD's clinfo, or the JSON of `weir devices`.
 *
 * Line ends of any kind, quote and comment marks, diffs, prompts and log lines, lost beginnings and ends, bytes that are
 * not UTF-8 are all read past. A text without devices is not an error: weir_records_get_reason() tells why there are
 * none.
 * bytes    need not end with zero; not needed afterwards
 * source   name of the text for messages, copied; NULL: "text"
 * out      owned by the caller, weir_records_destroy(); NULL on failure
 * Thread: safe.
 * Errors: ARG, HOST_MEMORY, FORMAT (no known format: the message has the first line that is not understood; more than
 *         WEIR_RECORDS_BYTES_MAX). */
WEIR_API WEIR_NODISCARD weir_status weir_records_read(const char *bytes, size_t count, const char *source,
                                                      weir_records **out);

/** Reads a file as weir_records_read() does, with the path as source; "-" is standard input.
 * Errors: as there, and IO (no such file, no permission, a directory). */
WEIR_API WEIR_NODISCARD weir_status weir_records_read_file(const char *path, weir_records **out);

/** Frees records. NULL is allowed. */
WEIR_API void weir_records_destroy(weir_records *records);

/** Returns the number of devices. */
WEIR_API size_t weir_records_count(const weir_records *records);

/** Returns record i in the order of the text, NULL outside 0 .. count - 1. Owned by the records. */
WEIR_API const weir_record *weir_records_get(const weir_records *records, size_t i);

/** Returns what was left out or looks wrong, one line each; NULL past the last. Owned by the records. */
WEIR_API const char *weir_records_get_warning(const weir_records *records, size_t i);

/** Returns why there are no devices, one line that begins with "no platforms", "no devices" or "truncated"; "" if there
 * are some. */
WEIR_API const char *weir_records_get_reason(const weir_records *records);

/** Returns the name of the text. */
WEIR_API const char *weir_records_get_source(const weir_records *records);

/** Returns the format: "clinfo", "clinfo --raw", "clinfo -l", "AMD's clinfo", "JSON". A static string. */
WEIR_API const char *weir_records_get_format(const weir_records *records);

WEIR_END_DECLS

#endif
