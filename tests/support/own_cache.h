/* A kernel cache for one test alone: an empty folder that XDG_CACHE_HOME names. */
#ifndef WT_OWN_CACHE_H
#define WT_OWN_CACHE_H

#include <stddef.h>

/* Makes the folder and turns the cache on; asserts. */
void wt_cache_begin(void);

/* The folder in which the library keeps its entries; it makes it itself. */
const char *wt_cache_folder(void);

/* Path of the only entry; NULL if there is none. Asserts that there are not more. Valid until the next call. */
const char *wt_cache_find(void);

/* Removes the folder and what is in it. */
void wt_cache_end(void);

#endif
