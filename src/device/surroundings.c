/* Variables, device nodes and containers.
 *
 * Everything is read anew each time; nothing is opened but /proc/self/attr/current, since opening a device node may wake
 * its card. No state.
 */
#include "device/surroundings.h"

#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

#define COUNT(Array) (sizeof(Array) / sizeof(Array)[0])
#define GROUPS_MAX 128

/* Names of variables: whole ones, or with a `*` at one end. */
static const struct {
    const char *name;
    int is_mask; /* 1: it hides devices */
} variables[] = {
    {"OCL_ICD_*", 0},          {"OPENCL_VENDOR_PATH", 0}, {"OPENCL_LAYERS", 0},
    {"RUSTICL_ENABLE", 0},     {"POCL_DEVICES", 0},       {"*_VISIBLE_DEVICES", 1},
    {"GPU_DEVICE_ORDINAL", 1}, {"ZE_AFFINITY_MASK", 1},   {"ONEAPI_DEVICE_SELECTOR", 1},
    {"LD_LIBRARY_PATH", 0},    {"WEIR_DEVICE", 0},
};

/* Where GPU drivers need both reading and writing. */
static const char *const nodes[] = {"/dev/dri/renderD*", "/dev/kfd", "/dev/nvidia[0-9]*",
                                    "/dev/nvidiactl", "/dev/dxg"};

/* Signs of containers and sandboxes: a file that is there, or a variable that is set. */
static const struct {
    const char *file;
    const char *variable;
    const char *name;
    const char *hint;
} containers[] = {
    {"/.dockerenv", NULL, "docker",
     "start it with --device /dev/dri (AMD also --device /dev/kfd; NVIDIA --gpus all) and install "
     "the driver with its ICD file inside"},
    {"/run/.containerenv", NULL, "podman",
     "start it with --device /dev/dri --group-add keep-groups and install the driver with its ICD "
     "file inside"},
    {NULL, "KUBERNETES_SERVICE_HOST", "kubernetes",
     "the pod must ask for the GPU as a resource of its device plugin"},
    {"/.flatpak-info", NULL, "flatpak",
     "the sandbox has drivers of its own (org.freedesktop.Platform.GL, OCL_ICD_VENDORS is fixed) "
     "and needs --device=dri"},
    {NULL, "SNAP", "snap", "the sandbox needs the opengl interface and drivers of its own"},
    {"/proc/sys/fs/binfmt_misc/WSLInterop", NULL, "WSL",
     "GPUs are reached through /dev/dxg and the drivers in /usr/lib/wsl/lib"},
    {NULL, "container", "a container, as the variable `container` says",
     "device nodes and the driver with its ICD file must be inside"},
};

static int name_fits(const char *pattern, const char *name, size_t bytes)
{
    const size_t pattern_bytes = strlen(pattern);

    if (pattern[0] == '*')
        return bytes >= pattern_bytes &&
               memcmp(name + bytes - (pattern_bytes - 1), pattern + 1, pattern_bytes - 1) == 0;
    if (pattern[pattern_bytes - 1] == '*')
        return bytes >= pattern_bytes && memcmp(name, pattern, pattern_bytes - 1) == 0;
    return bytes == pattern_bytes && memcmp(name, pattern, bytes) == 0;
}

/* 1 if an entry of the environment chooses drivers or devices; `is_mask` 1: and hides devices. */
static int is_counted(const char *entry, int is_mask)
{
    const size_t bytes = strcspn(entry, "=");

    for (size_t i = 0; i < COUNT(variables); i++)
        if (variables[i].is_mask >= is_mask && name_fits(variables[i].name, entry, bytes)) return 1;
    return 0;
}

void wi_surroundings_variables(weir_text *text)
{
    size_t count = 0;

    for (char **at = environ; at != NULL && *at != NULL; at++) {
        if (!is_counted(*at, 0)) continue;
        if (count++ == 0) weir_text_append(text, "environment variables in force:\n");
        weir_text_append(text, "  %s\n", *at);
    }
    if (count == 0)
        weir_text_append(text,
                         "environment variables in force: none that choose drivers or devices\n");
}

size_t wi_surroundings_masks(weir_text *text)
{
    size_t count = 0;

    for (char **at = environ; at != NULL && *at != NULL; at++) {
        if (!is_counted(*at, 1)) continue;
        if (text != NULL)
            weir_text_append(text, "%s%.*s", count == 0 ? "" : ", ", (int)strcspn(*at, "="), *at);
        count++;
    }
    return count;
}

/* 1 if the process has the group now. */
static int has_group(gid_t gid)
{
    gid_t groups[GROUPS_MAX];
    int count = getgroups(GROUPS_MAX, groups);

    for (int i = 0; i < count; i++)
        if (groups[i] == gid) return 1;
    return getegid() == gid;
}

/* 1 if the group lists the user of the process: a new login would have it. */
static int lists_user(const struct group *group)
{
    struct passwd user;
    struct passwd *found = NULL;
    char buffer[2048];

    if (getpwuid_r(getuid(), &user, buffer, sizeof buffer, &found) != 0 || found == NULL) return 0;
    for (char **member = group->gr_mem; member != NULL && *member != NULL; member++)
        if (strcmp(*member, user.pw_name) == 0) return 1;
    return 0;
}

/* What lets this process at a node: a group of the host may have no name inside a container. */
static void append_remedy(const struct stat *st, weir_text *text)
{
    struct group group;
    struct group *found = NULL;
    char buffer[8192];
    const unsigned long gid = st->st_gid;
    const int is_named =
        getgrgid_r(st->st_gid, &group, buffer, sizeof buffer, &found) == 0 && found != NULL;

    if (is_named)
        weir_text_append(text, ": it belongs to group %s", group.gr_name);
    else
        weir_text_append(text, ": it belongs to group %lu, which has no name here", gid);
    if ((st->st_mode & (S_IRGRP | S_IWGRP)) != (S_IRGRP | S_IWGRP) || has_group(st->st_gid))
        weir_text_append(text, ", which does not help; its mode is %03o",
                         (unsigned)(st->st_mode & 0777));
    else if (!is_named)
        weir_text_append(text, "; join it, in a container with --group-add %lu", gid);
    else if (lists_user(&group))
        weir_text_append(text, "; this user is in it: log in anew");
    else
        weir_text_append(text, "; join it (as root: usermod -aG %s USER) and log in anew",
                         group.gr_name);
}

size_t wi_surroundings_node(const char *path, weir_text *text)
{
    struct stat st;

    if (access(path, R_OK | W_OK) == 0) return 0;
    weir_text_append(text, "  no permission for %s (%s)", path, strerror(errno));
    if (stat(path, &st) == 0) append_remedy(&st, text);
    weir_text_append(text, "\n");
    return 1;
}

void wi_surroundings_nodes(weir_text *text)
{
    size_t found = 0;
    size_t closed = 0;

    weir_text_append(text, "device nodes:\n");
    for (size_t i = 0; i < COUNT(nodes); i++) {
        glob_t paths;

        memset(&paths, 0, sizeof paths);
        if (glob(nodes[i], 0, NULL, &paths) == 0) {
            for (size_t p = 0; p < paths.gl_pathc; p++)
                closed += wi_surroundings_node(paths.gl_pathv[p], text);
            found += paths.gl_pathc;
        }
        globfree(&paths);
    }
    if (found == 0)
        weir_text_append(text, "  none of /dev/dri/renderD*, /dev/kfd, /dev/nvidia*, /dev/dxg: no "
                               "GPU is visible to this system\n");
    else if (closed == 0)
        weir_text_append(text, "  %zu, all open to this user\n", found);
}

void wi_surroundings_container(weir_text *text)
{
    for (size_t i = 0; i < COUNT(containers); i++) {
        const char *value = containers[i].variable != NULL ? getenv(containers[i].variable) : NULL;

        if ((value != NULL && value[0] != '\0') ||
            (containers[i].file != NULL && access(containers[i].file, F_OK) == 0))
            weir_text_append(text, "inside %s: %s\n", containers[i].name, containers[i].hint);
    }
}

void wi_surroundings_process(weir_text *text)
{
    gid_t groups[GROUPS_MAX];
    char context[256] = "";
    int count = getgroups(GROUPS_MAX, groups);
    FILE *file = fopen("/proc/self/attr/current", "r");

    if (file != NULL) {
        if (fgets(context, sizeof context, file) == NULL) context[0] = '\0';
        (void)fclose(file);
        context[strcspn(context, "\n")] = '\0';
    }
    weir_text_append(text, "this process: user %lu, group %lu, further groups",
                     (unsigned long)geteuid(), (unsigned long)getegid());
    for (int i = 0; i < count; i++) weir_text_append(text, " %lu", (unsigned long)groups[i]);
    weir_text_append(text, "%s%s%s\n", count > 0 ? "" : " none",
                     context[0] != '\0' ? ", security context " : "", context);
}
