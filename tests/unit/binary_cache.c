/* The cache of program binaries: what it takes for an entry, and writers that meet. */
#include "cl/binary_cache.h"

#include "base/memory.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(binary_cache, .timeout = 120);

static const wi_cache_key key = {0x0123456789abcdefU, 0xfedcba9876543210U};
static const char binary[] = "not really a binary, but long enough to be one";

/* A new folder's name in `path`; the cache has to make its last part. */
static void make_root(char *path, size_t room)
{
    char root[] = "/tmp/weir-cache-XXXXXX";
    cr_assert_not_null(mkdtemp(root));
    (void)snprintf(path, room, "%s/a/weir", root);
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    char name[512];

    if (folder == NULL) return;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        (void)remove(name);
    }
    (void)closedir(folder);
    (void)rmdir(path);
}

static void remove_root(char *path)
{
    for (int i = 0; i < 3; i++) {
        remove_folder(path);
        *strrchr(path, '/') = 0;
    }
}

static size_t count_files(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;

    if (folder == NULL) return 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    (void)closedir(folder);
    return count;
}

static void assert_hit(const char *folder, const char *expected, size_t expected_bytes)
{
    void *data = NULL;
    size_t bytes = 0;

    cr_assert(wi_binary_cache_read(folder, key, &data, &bytes));
    cr_assert_eq(bytes, expected_bytes);
    cr_assert_eq(memcmp(data, expected, bytes), 0);
    wi_free(data);
}

static void assert_miss(const char *folder, wi_cache_key wanted, const char *why, size_t at)
{
    void *data = &data;
    size_t bytes = 7;

    cr_assert_not(wi_binary_cache_read(folder, wanted, &data, &bytes), "%s at %zu", why, at);
    cr_assert_null(data);
    cr_assert_eq(bytes, 0);
}

static size_t read_file(const char *path, unsigned char *data, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t bytes = 0;

    cr_assert_not_null(file);
    bytes = fread(data, 1, room, file);
    (void)fclose(file);
    return bytes;
}

static void write_file(const char *path, const unsigned char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(data, 1, bytes, file), bytes);
    cr_assert_eq(fclose(file), 0);
}

Test(binary_cache, gives_back_what_was_written_to_nobody_else)
{
    char folder[64];
    char *path = NULL;
    struct stat info;

    make_root(folder, sizeof folder);
    assert_miss(folder, key, "no folder", 0);
    cr_assert(wi_binary_cache_write(folder, key, binary, sizeof binary));
    assert_hit(folder, binary, sizeof binary);
    assert_miss(folder, (wi_cache_key){key.low + 1, key.high}, "other key", 0);

    path = wi_binary_cache_path(folder, key);
    cr_assert_str_eq(strrchr(path, '/'), "/fedcba98765432100123456789abcdef.bin");
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0600);
    cr_assert_eq(info.st_size, WI_BINARY_CACHE_HEADING + sizeof binary);
    cr_assert_eq(stat(folder, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0700);
    cr_assert_eq(count_files(folder), 1, "a temporary file was left");
    wi_free(path);
    remove_root(folder);
}

Test(binary_cache, refuses_an_entry_cut_anywhere_or_longer)
{
    unsigned char whole[WI_BINARY_CACHE_HEADING + sizeof binary + 1];
    char folder[64];
    char *path = NULL;
    size_t bytes = 0;

    make_root(folder, sizeof folder);
    cr_assert(wi_binary_cache_write(folder, key, binary, sizeof binary));
    path = wi_binary_cache_path(folder, key);
    bytes = read_file(path, whole, sizeof whole);
    cr_assert_eq(bytes, sizeof whole - 1);
    for (size_t cut = 0; cut < bytes; cut++) {
        write_file(path, whole, cut);
        assert_miss(folder, key, "cut", cut);
    }
    whole[bytes] = 0;
    write_file(path, whole, bytes + 1);
    assert_miss(folder, key, "one byte more", bytes);
    write_file(path, whole, bytes);
    assert_hit(folder, binary, sizeof binary);
    wi_free(path);
    remove_root(folder);
}

Test(binary_cache, refuses_an_entry_with_any_bit_flipped_and_replaces_it)
{
    unsigned char whole[WI_BINARY_CACHE_HEADING + sizeof binary];
    char folder[64];
    char *path = NULL;

    make_root(folder, sizeof folder);
    cr_assert(wi_binary_cache_write(folder, key, binary, sizeof binary));
    path = wi_binary_cache_path(folder, key);
    cr_assert_eq(read_file(path, whole, sizeof whole), sizeof whole);
    for (size_t bit = 0; bit < 8 * sizeof whole; bit++) {
        whole[bit / 8] ^= (unsigned char)(1U << bit % 8);
        write_file(path, whole, sizeof whole);
        assert_miss(folder, key, "bit flipped", bit);
        whole[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    cr_assert(wi_binary_cache_write(folder, key, binary, sizeof binary));
    assert_hit(folder, binary, sizeof binary);
    wi_free(path);
    remove_root(folder);
}

Test(binary_cache, refuses_foreign_files)
{
    char folder[64];
    char *path = NULL;
    char *other = NULL;
    unsigned char text[] = "#!/bin/sh\necho this is somebody else's file of more than 48 bytes\n";
    const wi_cache_key second = {5, 6};

    make_root(folder, sizeof folder);
    cr_assert(wi_binary_cache_write(folder, key, binary, sizeof binary));
    cr_assert(wi_binary_cache_write(folder, second, "second", 6));
    path = wi_binary_cache_path(folder, key);
    other = wi_binary_cache_path(folder, second);

    cr_assert_eq(chmod(path, 0666), 0);
    assert_miss(folder, key, "others may write it", 0);
    cr_assert_eq(chmod(path, 0600), 0);
    assert_hit(folder, binary, sizeof binary);
    cr_assert_eq(rename(other, path), 0);
    assert_miss(folder, key, "entry of another key", 0);
    write_file(path, text, sizeof text);
    assert_miss(folder, key, "no entry at all", 0);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(mkdir(path, 0700), 0);
    assert_miss(folder, key, "a folder", 0);
    cr_assert_not(wi_binary_cache_write(folder, key, binary, sizeof binary));
    cr_assert_eq(count_files(folder), 1, "a temporary file was left");
    cr_assert_eq(rmdir(path), 0);
    cr_assert_eq(mkfifo(path, 0600), 0);
    assert_miss(folder, key, "a pipe", 0);
    wi_free(other);
    wi_free(path);
    remove_root(folder);
}

Test(binary_cache, does_without_a_folder_it_cannot_have)
{
    char folder[64];
    char below[128];

    make_root(folder, sizeof folder);
    cr_assert(wi_binary_cache_write(folder, key, binary, sizeof binary));
    (void)snprintf(below, sizeof below, "%s/fedcba98765432100123456789abcdef.bin/weir", folder);
    cr_assert_not(wi_binary_cache_write(below, key, binary, sizeof binary));
    assert_miss(below, key, "below a file", 0);
    cr_assert_not(wi_binary_cache_write("/proc/weir", key, binary, sizeof binary));
    cr_assert_not(wi_binary_cache_write(folder, key, binary, 0));
    remove_root(folder);
}

Test(binary_cache, follows_the_environment_at_each_call)
{
    char *folder = NULL;

    unsetenv("WEIR_CACHE");
    setenv("HOME", "/home/some", 1);
    setenv("XDG_CACHE_HOME", "/var/some", 1);
    folder = wi_binary_cache_folder();
    cr_assert_str_eq(folder, "/var/some/weir");
    wi_free(folder);
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    folder = wi_binary_cache_folder();
    cr_assert_str_eq(folder, "/home/some/.cache/weir");
    wi_free(folder);
    unsetenv("XDG_CACHE_HOME");
    setenv("WEIR_CACHE", "1", 1);
    folder = wi_binary_cache_folder();
    cr_assert_str_eq(folder, "/home/some/.cache/weir");
    wi_free(folder);
    setenv("WEIR_CACHE", "0", 1);
    cr_assert_null(wi_binary_cache_folder());
    unsetenv("WEIR_CACHE");
    unsetenv("HOME");
    cr_assert_null(wi_binary_cache_folder());
}

Test(binary_cache, keys_differ_if_any_part_does)
{
    const wi_cache_subject base = {"kernel text", 11, "-w", "PoCL 3.1", "cpu", "1.0"};
    wi_cache_subject s[9];
    wi_cache_key keys[9];

    for (size_t i = 0; i < 9; i++) s[i] = base;
    s[1].text = "kernel texT";
    s[2].text_bytes = 10;
    s[3].options = "";
    s[4].platform = "PoCL 3.2";
    s[5].device_name = "cpu1";
    s[6].driver_version = "1.1";
    s[7].device_name = "cpu1"; /* the same bytes in a row, cut elsewhere */
    s[7].driver_version = ".0";
    s[8].options = "-wPoCL 3.1";
    s[8].platform = "";
    for (size_t i = 0; i < 9; i++) {
        keys[i] = wi_binary_cache_key(&s[i]);
        for (size_t k = 0; k < i; k++)
            cr_assert(keys[i].low != keys[k].low && keys[i].high != keys[k].high, "%zu %zu", i, k);
    }
    keys[1] = wi_binary_cache_key(&base);
    cr_assert(keys[0].low == keys[1].low && keys[0].high == keys[1].high);
}

#define WRITES 300
#define LARGE 50000

/* Entries of one key from several writers: each is `LARGE + id` bytes of the value id. */
static void write_often(const char *folder, int id)
{
    unsigned char *data = malloc(LARGE + 16);

    if (data == NULL) abort();
    memset(data, id, LARGE + 16);
    for (int i = 0; i < WRITES; i++)
        if (!wi_binary_cache_write(folder, key, data, (size_t)(LARGE + id))) abort();
    free(data);
}

/* Every read while others write must be a whole entry of one of them. */
static void read_often(const char *folder, int writers)
{
    for (int i = 0; i < WRITES; i++) {
        unsigned char *bytes = NULL;
        void *data = NULL;
        size_t count = 0;

        cr_assert(wi_binary_cache_read(folder, key, &data, &count), "round %d", i);
        bytes = data;
        cr_assert(bytes[0] >= 1 && bytes[0] <= writers && count == LARGE + (size_t)bytes[0]);
        for (size_t k = 1; k < count; k++) cr_assert(bytes[k] == bytes[0]);
        wi_free(data);
    }
}

struct writer {
    const char *folder;
    int id;
};

static void *run_writer(void *argument)
{
    const struct writer *writer = argument;
    write_often(writer->folder, writer->id);
    return NULL;
}

Test(binary_cache, stays_whole_with_several_writing_threads)
{
    char folder[64];
    struct writer writers[3];
    pthread_t threads[3];

    make_root(folder, sizeof folder);
    write_often(folder, 1);
    for (int i = 0; i < 3; i++) {
        writers[i] = (struct writer){folder, i + 1};
        cr_assert_eq(pthread_create(&threads[i], NULL, run_writer, &writers[i]), 0);
    }
    read_often(folder, 3);
    for (int i = 0; i < 3; i++) cr_assert_eq(pthread_join(threads[i], NULL), 0);
    cr_assert_eq(count_files(folder), 1);
    remove_root(folder);
}

Test(binary_cache, stays_whole_with_several_writing_processes)
{
    char folder[64];
    pid_t children[3];

    make_root(folder, sizeof folder);
    write_often(folder, 1);
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        cr_assert_geq(children[i], 0);
        if (children[i] == 0) {
            write_often(folder, i + 1);
            _exit(0);
        }
    }
    read_often(folder, 3);
    for (int i = 0; i < 3; i++) {
        int status = -1;
        cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    cr_assert_eq(count_files(folder), 1);
    remove_root(folder);
}
