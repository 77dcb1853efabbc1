/* Loaders have no call that leaves a driver out, so the used ones are linked into a folder of their own, under their own
 * names: loaders list a folder in the order of its names' hashes or of the names. One thread. */
#include "icd_list.h"

#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PLACE "/etc/OpenCL/vendors"

/* As loaders do, a set but empty variable counts as none. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

static int is_icd(const char *name)
{
    size_t bytes = strlen(name);

    return bytes >= 4 && strcmp(name + bytes - 4, ".icd") == 0;
}

/* Adds the first `bytes` characters of a path; 0 for want of memory. */
static int add(icd_list *list, const char *path, size_t bytes, icd_kind kind)
{
    icd_entry *longer = realloc(list->entries, (list->count + 1) * sizeof *longer);

    if (longer == NULL) return 0;
    list->entries = longer;
    longer[list->count].path = strndup(path, bytes);
    longer[list->count].kind = kind;
    longer[list->count].is_used = 0;
    if (longer[list->count].path == NULL) return 0;
    list->count++;
    return 1;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const icd_entry *)a)->path, ((const icd_entry *)b)->path);
}

static int add_folder(icd_list *list, const char *place)
{
    DIR *folder = opendir(place);
    struct dirent *each = NULL;
    int is_whole = 1;

    while (is_whole && folder != NULL && (each = readdir(folder)) != NULL) {
        char path[PATH_MAX];
        int bytes = snprintf(path, sizeof path, "%s/%s", place, each->d_name);

        if (is_icd(each->d_name) && bytes > 0 && (size_t)bytes < sizeof path)
            is_whole = add(list, path, (size_t)bytes, ICD_FILE);
    }
    if (folder != NULL) (void)closedir(folder);
    if (list->count > 0) qsort(list->entries, list->count, sizeof *list->entries, by_path);
    return is_whole;
}

/* A file or a library that OCL_ICD_VENDORS names: a file without slash lies in the default place if it is there. */
static int add_named(icd_list *list, const char *named, const char *place)
{
    char path[PATH_MAX];
    int bytes = snprintf(path, sizeof path, "%s/%s", place, named);

    if (!is_icd(named)) return add(list, named, strlen(named), ICD_LIBRARY);
    if (strchr(named, '/') == NULL && bytes > 0 && (size_t)bytes < sizeof path &&
        access(path, F_OK) == 0)
        return add(list, path, (size_t)bytes, ICD_FILE);
    return add(list, named, strlen(named), ICD_FILE);
}

int icd_list_read(icd_list *out)
{
    const char *vendors = variable("OCL_ICD_VENDORS");
    const char *path = variable("OPENCL_VENDOR_PATH");
    const char *place = path != NULL ? path : DEFAULT_PLACE;
    const char *added = variable("OCL_ICD_FILENAMES");
    struct stat st;
    int is_whole = 1;

    memset(out, 0, sizeof *out);
    if (vendors != NULL && !(stat(vendors, &st) == 0 && S_ISDIR(st.st_mode)))
        is_whole = add_named(out, vendors, place);
    else
        is_whole = add_folder(out, vendors != NULL ? vendors : place);
    while (is_whole && added != NULL && *added != '\0') {
        size_t bytes = strcspn(added, ":");

        if (bytes > 0) is_whole = add(out, added, bytes, ICD_ADDED);
        added += bytes + (added[bytes] != '\0');
    }
    return is_whole;
}

void icd_list_dispose(icd_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->entries[i].path);
    free(list->entries);
    memset(list, 0, sizeof *list);
}

static void remove_folder(icd_folder *folder)
{
    DIR *open = folder->path != NULL ? opendir(folder->path) : NULL;
    struct dirent *each = NULL;

    while (open != NULL && (each = readdir(open)) != NULL)
        if (is_icd(each->d_name)) (void)unlinkat(dirfd(open), each->d_name, 0);
    if (open != NULL) (void)closedir(open);
    if (folder->path != NULL) (void)rmdir(folder->path);
    free(folder->path);
    folder->path = NULL;
}

static int make_folder(icd_folder *folder)
{
    const char *parent = variable("TMPDIR");
    char path[PATH_MAX];
    int bytes = snprintf(path, sizeof path, "%s/weir-icd-XXXXXX", parent != NULL ? parent : "/tmp");

    if (bytes < 0 || (size_t)bytes >= sizeof path) {
        errno = ENAMETOOLONG;
        return 0;
    }
    if (mkdtemp(path) == NULL) return 0;
    folder->path = strdup(path);
    if (folder->path != NULL) return 1;
    (void)rmdir(path);
    return 0;
}

/* Puts an entry into the folder: a link to its file, or a file that names its library. */
static int put(const icd_folder *folder, const icd_entry *entry)
{
    const char *slash = strrchr(entry->path, '/');
    const char *name = slash != NULL ? slash + 1 : entry->path;
    char path[PATH_MAX];
    char *target = NULL;
    FILE *file = NULL;
    int is_put = 0;
    int bytes = snprintf(path, sizeof path, "%s/%s", folder->path,
                         entry->kind == ICD_FILE ? name : "library.icd");

    if (bytes < 0 || (size_t)bytes >= sizeof path) {
        errno = ENAMETOOLONG;
        return 0;
    }
    if (entry->kind == ICD_FILE) {
        /* A file that is not there is none for the loader either. */
        target = realpath(entry->path, NULL);
        is_put = target == NULL || symlink(target, path) == 0;
        free(target);
        return is_put;
    }
    file = fopen(path, "w");
    if (file == NULL) return 0;
    is_put = fprintf(file, "%s\n", entry->path) > 0;
    return fclose(file) == 0 && is_put;
}

/* The used libraries of OCL_ICD_FILENAMES, separated by colons, or NULL for want of memory. */
static char *join_added(const icd_list *list)
{
    size_t bytes = 1;
    char *joined = NULL;

    for (size_t i = 0; i < list->count; i++) bytes += strlen(list->entries[i].path) + 1;
    joined = calloc(bytes, 1);
    for (size_t i = 0; i < list->count && joined != NULL; i++) {
        const icd_entry *entry = &list->entries[i];

        if (!entry->is_used || entry->kind != ICD_ADDED) continue;
        output_append(joined, bytes, "%s%s", joined[0] != '\0' ? ":" : "", entry->path);
    }
    return joined;
}

/* Gives a variable a value; NULL unsets it. */
static int set_variable(const char *name, const char *value)
{
    return (value != NULL ? setenv(name, value, 1) : unsetenv(name)) == 0;
}

static int keep_variables(icd_folder *folder)
{
    const char *vendors = getenv("OCL_ICD_VENDORS");
    const char *filenames = getenv("OCL_ICD_FILENAMES");

    if (folder->is_changed) return 1;
    folder->vendors = vendors != NULL ? strdup(vendors) : NULL;
    folder->filenames = filenames != NULL ? strdup(filenames) : NULL;
    folder->is_changed = 1;
    return (vendors == NULL || folder->vendors != NULL) &&
           (filenames == NULL || folder->filenames != NULL);
}

int icd_folder_use(icd_folder *folder, const icd_list *list)
{
    char *added = join_added(list);
    int is_made = 0;

    remove_folder(folder);
    is_made = added != NULL && keep_variables(folder) && make_folder(folder);
    for (size_t i = 0; i < list->count && is_made; i++)
        if (list->entries[i].is_used && list->entries[i].kind != ICD_ADDED)
            is_made = put(folder, &list->entries[i]);
    is_made = is_made && set_variable("OCL_ICD_VENDORS", folder->path) &&
              set_variable("OCL_ICD_FILENAMES", added[0] != '\0' ? added : NULL);
    free(added);
    return is_made;
}

char *icd_folder_hide(const icd_folder *folder, const char *text)
{
    const char *path = variable("OPENCL_VENDOR_PATH");
    const char *place = path != NULL ? path : DEFAULT_PLACE;
    const char *name = folder->path != NULL ? folder->path : "";
    size_t name_bytes = strlen(name);
    size_t count = 0;
    char *out = NULL;
    char *end = NULL;

    if (folder->vendors != NULL && folder->vendors[0] != '\0') place = folder->vendors;
    if (name_bytes == 0) return strdup(text);
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + name_bytes, name))
        count++;
    out = malloc(strlen(text) + count * strlen(place) + 1);
    if (out == NULL) return NULL;
    end = out;
    while (*text != '\0') {
        int is_name = strncmp(text, name, name_bytes) == 0;

        if (is_name)
            end = stpcpy(end, place);
        else
            *end++ = *text;
        text += is_name ? name_bytes : 1;
    }
    *end = '\0';
    return out;
}

void icd_folder_leave(icd_folder *folder)
{
    if (folder->is_changed) {
        (void)set_variable("OCL_ICD_VENDORS", folder->vendors);
        (void)set_variable("OCL_ICD_FILENAMES", folder->filenames);
    }
    free(folder->vendors);
    free(folder->filenames);
    folder->vendors = NULL;
    folder->filenames = NULL;
    folder->is_changed = 0;
}

void icd_folder_restore(icd_folder *folder)
{
    remove_folder(folder);
    icd_folder_leave(folder);
}
