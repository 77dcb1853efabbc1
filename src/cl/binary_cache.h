/* Program binaries on disk.
 *
 * One file an entry, named by its key: 48 bytes of heading, then the binary. All numbers little-endian.
 *   0  magic "weirclb\n"     8  format    12  0    16  key, two words    32  bytes of the binary
 *  40  XXH3-64 of the binary, seeded with that of the 40 bytes before
 * A file that differs from this in any way, or belongs to another user, is no entry.
 */
#ifndef WI_CL_BINARY_CACHE_H
#define WI_CL_BINARY_CACHE_H

#include <stddef.h>
#include <stdint.h>

#define WI_BINARY_CACHE_FORMAT 1
#define WI_BINARY_CACHE_HEADING 48

/* XXH3-128 of everything that a binary depends on. */
typedef struct wi_cache_key {
    uint64_t low;
    uint64_t high;
} wi_cache_key;

/* What the key is made of. All borrowed, none NULL. */
typedef struct wi_cache_subject {
    const char *text; /* the whole program text, as given to the driver */
    size_t text_bytes;
    const char *options;
    const char *platform;
    const char *device_name;
    const char *driver_version;
} wi_cache_subject;

wi_cache_key wi_binary_cache_key(const wi_cache_subject *subject);

/** The folder: $XDG_CACHE_HOME/weir, else $HOME/.cache/weir; from wi_malloc. NULL if WEIR_CACHE is 0, if neither
 * variable holds an absolute path, or without host memory. The environment is read at each call. */
char *wi_binary_cache_folder(void);

/** Path of an entry; from wi_malloc, NULL without host memory. */
char *wi_binary_cache_path(const char *folder, wi_cache_key key);

/** Reads an entry; *data from wi_malloc. 0 and NULL if there is none that is whole. */
int wi_binary_cache_read(const char *folder, wi_cache_key key, void **data, size_t *bytes);

/** Writes an entry, replacing one of the same key in a single step, so that a reader sees the old, the new or none.
 * Makes the folder if needed. 0 if that is not possible; nothing is left behind then. Thread and process: safe. */
int wi_binary_cache_write(const char *folder, wi_cache_key key, const void *data, size_t bytes);

#endif
