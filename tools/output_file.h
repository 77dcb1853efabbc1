/* A file that is there whole or not at all. */
#ifndef WEIR_TOOLS_OUTPUT_FILE_H
#define WEIR_TOOLS_OUTPUT_FILE_H

#include <stddef.h>

/** Writes a file: beside it first, then renamed over it, so that nobody sees half of it and a failure leaves what was
 * there. A link is followed. What is no file, such as a terminal or a pipe, is written directly.
 * command   for the message
 * path      "-": standard output
 * Returns 0, or 1 (PROGRAM_FAILED) and a line on stderr. */
int output_file_write(const char *command, const char *path, const char *data, size_t bytes);

#endif
