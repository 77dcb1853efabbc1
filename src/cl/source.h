/* Program text put together from pieces. */
#ifndef WI_CL_SOURCE_H
#define WI_CL_SOURCE_H

#include "cl/program.h"

/** Joins the pieces, each after a line `#line 1 "name"` and ended by a newline, into one zero-terminated text.
 * *text from wi_malloc, NULL on failure; *bytes without the final zero. Errors: HOST_MEMORY. */
weir_status wi_source_join(const wi_source *sources, size_t count, char **text, size_t *bytes);

#endif
