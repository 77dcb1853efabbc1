/* What every command does alike with stdout and stderr: JSON, messages, units, colours. */
#ifndef WEIR_TOOLS_OUTPUT_H
#define WEIR_TOOLS_OUTPUT_H

#include <weir/device.h>
#include <weir/export.h>

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/** Prints one line on stderr; a line break inside the message, as from a file's name, is shown as a blank. */
void output_usage(const char *format, ...) WEIR_PRINTF(1, 2);

/** Appends to a zero-terminated buffer as printf does; what does not fit is cut. */
void output_append(char *buffer, size_t bytes, const char *format, ...) WEIR_PRINTF(3, 4);

/** Prints the calling thread's last weir error on stderr, after "weir COMMAND: ": message, then hint. */
void output_error(const char *command);

/** Prints an object as indented JSON on stdout and drops the caller's reference.
 * Returns 0, or 1 (PROGRAM_FAILED) if root is NULL for want of host memory or cannot be written; a line on stderr. */
int output_json(json_t *root);

/** Flushes stdout. Returns `code`, or PROGRAM_FAILED and a line on stderr if something could not be written. */
int output_finish(int code);

/** Returns a number, a new reference. JSON integers are signed here; what passes them becomes a real number. */
json_t *output_number(uint64_t number);

/** Returns {index,platform,name,class} of a device, a new reference; null for NULL. */
json_t *output_device(const weir_device *device);

/** Prints the quirks that apply to a record on stdout, two lines each; nothing if there is none. */
void output_quirks(const weir_record *record);

/** Returns a JSON string even if the bytes of `text` are not UTF-8: bad bytes become question marks. */
json_t *output_text(const char *text);

/** Writes bytes for people, "4.0 KiB", cut to fit and zero-terminated; returns buffer. */
char *output_bytes(uint64_t value, char *buffer, size_t bytes);

/** Writes seconds for people, "12.3 us", cut to fit and zero-terminated; returns buffer. */
char *output_seconds(double value, char *buffer, size_t bytes);

/** Returns 1 if `stream` is a terminal on which colours may be used (NO_COLOR and TERM=dumb forbid them). */
int output_has_colours(FILE *stream);

#endif
