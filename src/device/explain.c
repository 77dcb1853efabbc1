/* Why there is no device, for a person to read.
 *
 * One line gives the reason: no ICD file, drivers that are not there, drivers that could not be loaded, platforms
 * without devices, or only devices that nobody asked for. What was looked at follows: files, variables, device nodes.
 * (That there is no loader cannot be found out here: a program linked to libOpenCL does not start without it.)
 * Files and variables are read each time; no state.
 */
#include "device/system.h"

#include "device/class.h"
#include "device/icd.h"
#include "device/match.h"
#include "device/selector.h"

#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Variables that change which devices are seen. */
static const char *const variables[] = {
    "OCL_ICD_VENDORS",    "OCL_ICD_FILENAMES",    "OPENCL_VENDOR_PATH",  "OCL_ICD_PLATFORM_SORT",
    "OPENCL_LAYERS",      "RUSTICL_ENABLE",       "POCL_DEVICES",        "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK",
    "LD_LIBRARY_PATH",    "WEIR_DEVICE",
};

/* Where GPU drivers need both reading and writing. */
static const char *const nodes[] = {"/dev/dri/renderD*", "/dev/kfd", "/dev/nvidia[0-9]*",
                                    "/dev/nvidiactl"};

/* What is known of platforms that are there without devices. */
static const struct {
    const char *platform;
    const char *hint;
} platform_hints[] = {
    {"rusticl", "rusticl lists devices only of the drivers that RUSTICL_ENABLE names, such as "
                "RUSTICL_ENABLE=llvmpipe"},
    {"AMD", "AMD's driver needs permission for /dev/kfd and a /dev/dri/renderD node"},
    {"Portable Computing Language",
     "PoCL lists the devices that POCL_DEVICES names, the CPU by default"},
};

#define COUNT(Array) (sizeof(Array) / sizeof(Array)[0])

static void no_platform(weir_text *text)
{
    wi_icd_survey icd;
    size_t bad = 0;

    wi_icd_look(&icd, NULL);
    bad = icd.missing + icd.unreadable;
    weir_text_append(text, "no OpenCL platform: ");
    if (icd.place_error != 0)
        weir_text_append(text, "%s cannot be opened (%s)", icd.place, strerror(icd.place_error));
    else if (icd.entries == 0)
        weir_text_append(text, "no ICD files in %s", icd.place);
    else if (bad == icd.entries)
        weir_text_append(text, "%zu of %zu ICD entries in %s name a library that is not there", bad,
                         icd.entries, icd.place);
    else
        weir_text_append(text, "the drivers in %s could not be loaded or have no platform",
                         icd.place);
    if (icd.origin[0] != '\0') weir_text_append(text, ", which %s names", icd.origin);
}

void wi_system_reason(const weir_system *system, weir_text *text)
{
    if (system->platform_count == 0) {
        no_platform(text);
    } else if (system->device_count == 0) {
        weir_text_append(text, "platforms without devices: ");
        for (size_t i = 0; i < system->platform_count; i++)
            weir_text_append(
                text, "%s%s", i == 0 ? "" : ", ",
                wi_record_get_text(system->platforms[i].record, WI_PROPERTY_PLATFORM_NAME));
    } else {
        weir_text_append(text, "every device was rejected: ");
        wi_selector_list(system->records, system->device_count, "; ", text);
    }
}

static void append_platforms(const weir_system *system, weir_text *text)
{
    weir_text_append(text, "platforms:\n");
    for (size_t i = 0; i < system->platform_count; i++) {
        const char *name =
            wi_record_get_text(system->platforms[i].record, WI_PROPERTY_PLATFORM_NAME);

        weir_text_append(text, "  %zu: %s: %zu devices", i, name,
                         system->platforms[i].device_count);
        if (system->platforms[i].device_count == 0 && system->platforms[i].code != 0)
            weir_text_append(text, " (the driver answered %d)", system->platforms[i].code);
        weir_text_append(text, "\n");
        for (size_t h = 0; h < COUNT(platform_hints) && system->platforms[i].device_count == 0; h++)
            if (wi_text_has_word(name, platform_hints[h].platform))
                weir_text_append(text, "     %s\n", platform_hints[h].hint);
    }
}

static void append_variables(weir_text *text)
{
    int has_any = 0;

    for (size_t i = 0; i < COUNT(variables); i++) {
        const char *value = getenv(variables[i]);

        if (value == NULL) continue;
        if (!has_any) weir_text_append(text, "environment variables in force:\n");
        has_any = 1;
        weir_text_append(text, "  %s=%s\n", variables[i], value);
    }
    if (!has_any)
        weir_text_append(text,
                         "environment variables in force: none that choose drivers or devices\n");
}

/* "group render" or "group 110": a group of the host may have no name inside a container. */
static void append_group(gid_t gid, weir_text *text)
{
    struct group group;
    struct group *found = NULL;
    char buffer[2048];

    if (getgrgid_r(gid, &group, buffer, sizeof buffer, &found) == 0 && found != NULL)
        weir_text_append(text, "group %s", found->gr_name);
    else
        weir_text_append(text, "group %lu, which has no name here", (unsigned long)gid);
}

static size_t append_closed(const char *path, weir_text *text)
{
    struct stat st;

    if (access(path, R_OK | W_OK) == 0) return 0;
    weir_text_append(text, "  no permission for %s (%s)", path, strerror(errno));
    if (stat(path, &st) == 0) {
        weir_text_append(text, ": it belongs to ");
        append_group(st.st_gid, text);
    }
    weir_text_append(text, "\n");
    return 1;
}

static void append_nodes(weir_text *text)
{
    size_t found = 0;
    size_t closed = 0;

    weir_text_append(text, "device nodes:\n");
    for (size_t i = 0; i < COUNT(nodes); i++) {
        glob_t paths;

        memset(&paths, 0, sizeof paths);
        if (glob(nodes[i], 0, NULL, &paths) == 0) {
            for (size_t p = 0; p < paths.gl_pathc; p++)
                closed += append_closed(paths.gl_pathv[p], text);
            found += paths.gl_pathc;
        }
        globfree(&paths);
    }
    if (found == 0)
        weir_text_append(text, "  none of /dev/dri/renderD*, /dev/kfd, /dev/nvidia*: no GPU is "
                               "visible to this system\n");
    else if (closed == 0)
        weir_text_append(text, "  %zu, all open to this user\n", found);
}

void weir_system_explain(const weir_system *system, weir_text *text)
{
    const wi_selector best = {.kind = WI_SELECT_BEST};
    wi_icd_survey icd;

    if (system == NULL || text == NULL) return;
    if (system->device_count > 0) {
        weir_text_append(text, "devices:\n  ");
        wi_selector_list(system->records, system->device_count, "\n  ", text);
        weir_text_append(text, "\n");
        if (wi_selector_choose(&best, system->records, system->device_count) < system->device_count)
            return;
        weir_text_append(text, "none of them is taken without being named\n");
    } else {
        wi_system_reason(system, text);
        weir_text_append(text, "\n");
    }
    if (system->platform_count > 0) append_platforms(system, text);
    weir_text_append(text, "drivers looked for:\n");
    wi_icd_look(&icd, text);
    append_variables(text);
    append_nodes(text);
}
