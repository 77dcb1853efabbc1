/* The OpenCL loader, as a library that is looked for when it is needed. */
#ifndef WI_CL_LOADER_H
#define WI_CL_LOADER_H

#include <stddef.h>

/** Finds the loader: what the program has loaded already, else libOpenCL.so.1. Returns a handle for dlsym() that is never
 * closed, or NULL with the dynamic linker's words.
 * why   room for `bytes` bytes, "" unless NULL is returned */
void *wi_loader_find(char *why, size_t bytes);

#endif
