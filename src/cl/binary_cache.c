/* Program binaries on disk: a file an entry, as laid out in the header.
 *
 * Nothing is locked. A writer makes a file of its own in the same folder and renames it over the entry; rename is
 * atomic, so concurrent writers replace each other's whole files. A reader believes nothing but the checksum, which
 * covers the heading too: torn, cut, foreign and damaged files all read as "no entry" and are replaced by the next
 * write. There is no fsync: losing an entry in a crash costs one build. A binary is code, so the folder is made for the
 * user alone, and only files that belong to the user and that nobody else can write are taken.
 */
#include "cl/binary_cache.h"

#include "base/memory.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char magic[8] = {'w', 'e', 'i', 'r', 'c', 'l', 'b', '\n'};

/* A binary larger than this is no binary: a bound on what a damaged length may ask for. */
#define MAX_BINARY_BYTES ((uint64_t)1 << 30)

enum { AT_FORMAT = 8, AT_KEY = 16, AT_BYTES = 32, AT_CHECKSUM = 40 };

static void put_u64(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 8; i++) at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_u64(const unsigned char *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Every part is preceded by its length, so that no two lists of parts give the same bytes. */
wi_cache_key wi_binary_cache_key(const wi_cache_subject *subject)
{
    const struct {
        const char *data;
        size_t bytes;
    } parts[] = {
        {subject->text, subject->text_bytes},
        {subject->options, strlen(subject->options)},
        {subject->platform, strlen(subject->platform)},
        {subject->device_name, strlen(subject->device_name)},
        {subject->driver_version, strlen(subject->driver_version)},
    };
    unsigned char number[8];
    XXH128_hash_t hash;
    XXH3_state_t state;

    (void)XXH3_128bits_reset(&state);
    put_u64(number, WI_BINARY_CACHE_FORMAT);
    (void)XXH3_128bits_update(&state, number, sizeof number);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        put_u64(number, parts[i].bytes);
        (void)XXH3_128bits_update(&state, number, sizeof number);
        (void)XXH3_128bits_update(&state, parts[i].data, parts[i].bytes);
    }
    hash = XXH3_128bits_digest(&state);
    return (wi_cache_key){hash.low64, hash.high64};
}

/* "a/b", from wi_malloc. */
static char *join_path(const char *folder, const char *name)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = wi_malloc(room);
    if (path != NULL) (void)snprintf(path, room, "%s/%s", folder, name);
    return path;
}

char *wi_binary_cache_folder(void)
{
    const char *is_on = getenv("WEIR_CACHE");
    const char *base = getenv("XDG_CACHE_HOME");

    if (is_on != NULL && strcmp(is_on, "0") == 0) return NULL;
    if (base != NULL && base[0] == '/') return join_path(base, "weir");
    base = getenv("HOME");
    return base != NULL && base[0] == '/' ? join_path(base, ".cache/weir") : NULL;
}

char *wi_binary_cache_path(const char *folder, wi_cache_key key)
{
    char name[40];
    (void)snprintf(name, sizeof name, "%016llx%016llx.bin", (unsigned long long)key.high,
                   (unsigned long long)key.low);
    return join_path(folder, name);
}

/* Makes the folder and those above it that are missing. */
static int make_folder(const char *folder)
{
    struct stat info;
    char *path = NULL;
    int is_made = 0;

    if (stat(folder, &info) == 0) return S_ISDIR(info.st_mode);
    path = wi_strdup(folder);
    if (path == NULL) return 0;
    for (char *at = path + 1; *at != 0; at++) {
        if (*at != '/') continue;
        *at = 0;
        (void)mkdir(path, 0700); /* one that exists, or cannot be made, shows in the last mkdir */
        *at = '/';
    }
    is_made = mkdir(path, 0700) == 0 || errno == EEXIST;
    wi_free(path);
    return is_made;
}

static int read_all(int file, void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        ssize_t got = read(file, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        at += got;
        bytes -= (size_t)got;
    }
    return 1;
}

static int write_all(int file, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t put = write(file, at, bytes);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return 0;
        at += put;
        bytes -= (size_t)put;
    }
    return 1;
}

static uint64_t get_checksum(const unsigned char *heading, const void *data, size_t bytes)
{
    const uint64_t seed = XXH3_64bits(heading, AT_CHECKSUM);
    return XXH3_64bits_withSeed(data, bytes, seed);
}

static void write_heading(unsigned char *heading, wi_cache_key key, const void *data, size_t bytes)
{
    memset(heading, 0, WI_BINARY_CACHE_HEADING);
    memcpy(heading, magic, sizeof magic);
    put_u64(heading + AT_FORMAT, WI_BINARY_CACHE_FORMAT);
    put_u64(heading + AT_KEY, key.low);
    put_u64(heading + AT_KEY + 8, key.high);
    put_u64(heading + AT_BYTES, bytes);
    put_u64(heading + AT_CHECKSUM, get_checksum(heading, data, bytes));
}

/* The length of the binary if file and heading could be the entry of this key, else 0. */
static size_t judge_heading(const unsigned char *heading, wi_cache_key key, uint64_t file_bytes)
{
    const uint64_t bytes = get_u64(heading + AT_BYTES);

    if (memcmp(heading, magic, sizeof magic) != 0) return 0;
    if (get_u64(heading + AT_FORMAT) != WI_BINARY_CACHE_FORMAT) return 0;
    if (get_u64(heading + AT_KEY) != key.low || get_u64(heading + AT_KEY + 8) != key.high) return 0;
    if (bytes > MAX_BINARY_BYTES || file_bytes != bytes + WI_BINARY_CACHE_HEADING) return 0;
    return (size_t)bytes;
}

static void *read_entry(int file, wi_cache_key key, size_t *bytes)
{
    unsigned char heading[WI_BINARY_CACHE_HEADING];
    struct stat info;
    void *data = NULL;

    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return NULL;
    if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return NULL;
    if (!read_all(file, heading, sizeof heading)) return NULL;
    *bytes = judge_heading(heading, key, (uint64_t)info.st_size);
    if (*bytes == 0) return NULL;
    data = wi_malloc(*bytes);
    if (data == NULL) return NULL;
    if (!read_all(file, data, *bytes) ||
        get_u64(heading + AT_CHECKSUM) != get_checksum(heading, data, *bytes)) {
        wi_free(data);
        return NULL;
    }
    return data;
}

int wi_binary_cache_read(const char *folder, wi_cache_key key, void **data, size_t *bytes)
{
    char *path = wi_binary_cache_path(folder, key);
    int file = -1;

    *data = NULL;
    *bytes = 0;
    if (path == NULL) return 0;
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* never hang on a pipe of this name */
    wi_free(path);
    if (file < 0) return 0;
    *data = read_entry(file, key, bytes);
    (void)close(file);
    if (*data == NULL) *bytes = 0;
    return *data != NULL;
}

int wi_binary_cache_write(const char *folder, wi_cache_key key, const void *data, size_t bytes)
{
    unsigned char heading[WI_BINARY_CACHE_HEADING];
    char *path = NULL;
    char *temporary = NULL;
    int file = -1;
    int is_written = 0;

    if (bytes == 0 || bytes > MAX_BINARY_BYTES || !make_folder(folder)) return 0;
    path = wi_binary_cache_path(folder, key);
    temporary = join_path(folder, "new-XXXXXX");
    if (path == NULL || temporary == NULL) goto done;
    file = mkstemp(temporary); /* mode 0600 */
    if (file < 0) goto done;

    write_heading(heading, key, data, bytes);
    is_written = write_all(file, heading, sizeof heading) && write_all(file, data, bytes);
    is_written = close(file) == 0 && is_written;
    is_written = is_written && rename(temporary, path) == 0;
    if (!is_written) (void)unlink(temporary);
done:
    wi_free(temporary);
    wi_free(path);
    return is_written;
}
