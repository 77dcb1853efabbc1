/* A kernel cache of one test. Nothing is ever removed but what the test's own folder holds, one level deep. */
#include "own_cache.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char root[] = "/tmp/weir-cache-XXXXXX";
static char folder[sizeof root + 8];
static char path[sizeof folder + 260];

void wt_cache_begin(void)
{
    cr_assert_not_null(mkdtemp(root));
    (void)snprintf(folder, sizeof folder, "%s/weir", root);
    cr_assert_eq(setenv("XDG_CACHE_HOME", root, 1), 0);
    cr_assert_eq(unsetenv("WEIR_CACHE"), 0);
}

const char *wt_cache_folder(void) { return folder; }

/* Finds an entry, leaves its path; returns how many there are. */
static int count_entries(void)
{
    DIR *dir = opendir(folder);
    int count = 0;

    if (dir == NULL) return 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count++;
    }
    (void)closedir(dir);
    return count;
}

const char *wt_cache_find(void)
{
    const int count = count_entries();

    cr_assert_leq(count, 1, "%d entries in %s", count, folder);
    return count == 1 ? path : NULL;
}

void wt_cache_end(void)
{
    while (count_entries() > 0)
        if (unlink(path) != 0) break;
    (void)rmdir(folder);
    (void)rmdir(root);
}
