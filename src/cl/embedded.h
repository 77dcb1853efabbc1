/* The texts of the cl/ folder, inside the library. The table is made by the build (cmake/EmbedClTable.cmake). */
#ifndef WI_CL_EMBEDDED_H
#define WI_CL_EMBEDDED_H

#include <stddef.h>

typedef struct wi_embedded {
    const char *name;           /* file name without folder: "numeric.h" */
    const unsigned char *bytes; /* followed by a 0 that `size` does not count */
    size_t size;
} wi_embedded;

/* Ends with a row whose name is NULL. */
extern const wi_embedded wi_embedded_texts[];

#endif
