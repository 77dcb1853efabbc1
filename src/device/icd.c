/* Looking for ICD files the way loaders do.
 *
 * ocl-icd: OCL_ICD_VENDORS is a directory, a file that ends in .icd, or a driver library; a name without slash is first
 * looked for in the default directory. Khronos' loader: OCL_ICD_VENDORS is a directory, and OCL_ICD_FILENAMES adds
 * libraries, separated by colons. Both: /etc/OpenCL/vendors else (OPENCL_VENDOR_PATH replaces it for ocl-icd).
 * Drivers that are there are opened once more, for the dynamic linker's words on why it cannot. The loader of this
 * process opened them before, so nothing runs that did not run already. No state.
 */
#include "device/icd.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 1024
#define DRIVER_ENTRY "clGetExtensionFunctionAddress" /* what loaders ask a driver for */
#define DEFAULT_PLACE "/etc/OpenCL/vendors"
#define LINKER_CONFIG "/etc/ld.so.conf"
#define LINKER_CONFIG_PARTS "/etc/ld.so.conf.d"

/* As the loaders do, a set but empty variable counts as none. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static int ends_with(const char *text, const char *end)
{
    size_t text_bytes = strlen(text);
    size_t end_bytes = strlen(end);

    return text_bytes >= end_bytes && strcmp(text + text_bytes - end_bytes, end) == 0;
}

static int is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Writes "directory/name"; returns 0 if it does not fit. */
static int join(char path[PATH_BYTES], const char *directory, size_t directory_bytes,
                const char *name)
{
    int count = snprintf(path, PATH_BYTES, "%.*s/%s", (int)directory_bytes, directory, name);
    return count > 0 && count < PATH_BYTES;
}

static int lies_in(const char *directory, size_t bytes, const char *library)
{
    char path[PATH_BYTES];

    return bytes > 0 && bytes < PATH_BYTES && join(path, directory, bytes, library) &&
           access(path, R_OK) == 0;
}

static int lies_in_list(const char *list, const char *library)
{
    while (list != NULL && *list != '\0') {
        size_t bytes = strcspn(list, ":;");

        if (lies_in(list, bytes, library)) return 1;
        list += bytes + (list[bytes] != '\0');
    }
    return 0;
}

/* Each line of a linker configuration that is a path is a directory. */
static int lies_in_config(const char *config, const char *library)
{
    char line[PATH_BYTES];
    int is_found = 0;
    FILE *file = fopen(config, "r");

    if (file == NULL) return 0;
    while (!is_found && fgets(line, sizeof line, file) != NULL)
        is_found = line[0] == '/' && lies_in(line, strcspn(line, " \t\r\n#"), library);
    (void)fclose(file);
    return is_found;
}

static int lies_in_configs(const char *library)
{
    char path[PATH_BYTES];
    int is_found = lies_in_config(LINKER_CONFIG, library);
    DIR *directory = opendir(LINKER_CONFIG_PARTS);
    struct dirent *entry = NULL;

    while (!is_found && directory != NULL && (entry = readdir(directory)) != NULL)
        is_found = ends_with(entry->d_name, ".conf") &&
                   join(path, LINKER_CONFIG_PARTS, strlen(LINKER_CONFIG_PARTS), entry->d_name) &&
                   lies_in_config(path, library);
    if (directory != NULL) (void)closedir(directory);
    return is_found;
}

int wi_icd_library_exists(const char *library)
{
    static const char defaults[] = "/lib:/usr/lib:/lib64:/usr/lib64";

    if (strchr(library, '/') != NULL) return access(library, R_OK) == 0;
    return lies_in_list(getenv("LD_LIBRARY_PATH"), library) || lies_in_configs(library) ||
           lies_in_list(defaults, library);
}

/* Opens a library as the loader did. Returns words for people; `failure` is the dynamic linker's, "" if it has none. */
static const char *try_library(const char *library, wi_icd_survey *out, char failure[256])
{
    void *handle = NULL;
    const char *why = NULL;
    int is_driver = 0;

    failure[0] = '\0';
    if (!wi_icd_library_exists(library)) {
        out->missing++;
        return "is not where the dynamic linker looks";
    }
    handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) {
        why = dlerror();
        (void)snprintf(failure, 256, "%s", why != NULL ? why : "no reason is given");
        if (out->failed++ == 0) memcpy(out->failure, failure, sizeof out->failure);
        return "is there but could not be loaded: ";
    }
    is_driver = dlsym(handle, DRIVER_ENTRY) != NULL;
    (void)dlclose(handle);
    if (is_driver) return "is there and loads; if its platform is not listed it has none here";
    out->strange++;
    return "is there and loads, but it is no OpenCL driver (it lacks " DRIVER_ENTRY ")";
}

static void look_at_library(const char *library, const char *named_by, wi_icd_survey *out,
                            weir_text *details)
{
    char failure[256];
    const char *words = try_library(library, out, failure);

    weir_text_append(details, "  %s: %s %s%s\n", named_by, library, words, failure);
}

static void look_at_file(const char *path, wi_icd_survey *out, weir_text *details)
{
    char line[PATH_BYTES] = "";
    FILE *file = fopen(path, "r");
    int code = errno;

    out->entries++;
    if (file == NULL) {
        out->unreadable++;
        weir_text_append(details, "  %s: cannot be read: %s\n", path, strerror(code));
        return;
    }
    if (fgets(line, sizeof line, file) == NULL) line[0] = '\0';
    (void)fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    for (size_t n = strlen(line); n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t'); n--)
        line[n - 1] = '\0';
    if (line[0] == '\0') {
        out->unreadable++;
        weir_text_append(details, "  %s: names no library\n", path);
        return;
    }
    look_at_library(line, path, out, details);
}

static void look_at_directory(const char *place, wi_icd_survey *out, weir_text *details)
{
    char path[PATH_BYTES];
    struct dirent *entry = NULL;
    DIR *directory = opendir(place);

    if (directory == NULL) {
        out->place_error = errno;
        weir_text_append(details, "  %s: cannot be opened: %s\n", place,
                         strerror(out->place_error));
        return;
    }
    while ((entry = readdir(directory)) != NULL)
        if (ends_with(entry->d_name, ".icd") && join(path, place, strlen(place), entry->d_name))
            look_at_file(path, out, details);
    (void)closedir(directory);
    if (out->entries == 0)
        weir_text_append(details, "  %s: has no file that ends in .icd\n", place);
}

/* An .icd file named by OCL_ICD_VENDORS: in the default directory if it has no slash and is there, else as it is. */
static void look_at_named_file(const char *vendors, const char *default_place, wi_icd_survey *out,
                               weir_text *details)
{
    char path[PATH_BYTES];
    int is_default = strchr(vendors, '/') == NULL &&
                     join(path, default_place, strlen(default_place), vendors) &&
                     access(path, F_OK) == 0;

    if (access(is_default ? path : vendors, R_OK) != 0) out->place_error = errno;
    look_at_file(is_default ? path : vendors, out, details);
}

static void look_at_added(const char *list, wi_icd_survey *out, weir_text *details)
{
    char library[PATH_BYTES];

    while (list != NULL && *list != '\0') {
        size_t bytes = strcspn(list, ":");

        if (bytes > 0 && bytes < sizeof library) {
            memcpy(library, list, bytes);
            library[bytes] = '\0';
            out->entries++;
            look_at_library(library, "OCL_ICD_FILENAMES", out, details);
        }
        list += bytes + (list[bytes] != '\0');
    }
}

void wi_icd_look(wi_icd_survey *out, weir_text *details)
{
    const char *vendors = variable("OCL_ICD_VENDORS");
    const char *vendor_path = variable("OPENCL_VENDOR_PATH");
    const char *default_place = vendor_path != NULL ? vendor_path : DEFAULT_PLACE;
    const char *place = vendors != NULL ? vendors : default_place;

    memset(out, 0, sizeof *out);
    out->origin = vendors != NULL       ? "OCL_ICD_VENDORS"
                  : vendor_path != NULL ? "OPENCL_VENDOR_PATH"
                                        : "";
    snprintf(out->place, sizeof out->place, "%s", place);

    if (vendors == NULL || is_directory(vendors)) {
        look_at_directory(place, out, details);
    } else if (ends_with(vendors, ".icd")) {
        look_at_named_file(vendors, default_place, out, details);
    } else {
        if (access(vendors, F_OK) != 0) out->place_error = errno;
        out->entries++;
        look_at_library(vendors, "OCL_ICD_VENDORS", out, details);
    }
    look_at_added(variable("OCL_ICD_FILENAMES"), out, details);
}
