/* The list of devices: against the installed clinfo on live drivers, and on the null ICD for what live ones do not do. */
#include "devices.h"
#include "null_device.h"

#include <weir/host_memory.h>
#include <weir/system.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(system, .timeout = WT_TIMEOUT);

/* Drivers measure these anew each time. */
static int is_volatile(const char *name)
{
    return strcmp(name, "max_clock_frequency") == 0 || strcmp(name, "global_free_memory_amd") == 0;
}

static void lower(char *text)
{
    for (; *text != '\0'; text++) *text = (char)tolower((unsigned char)*text);
}

/* "CL_DEVICE_NAME" becomes "name", "CL_DRIVER_VERSION" "driver_version". */
static const char *property_name(char *raw)
{
    static const char *const prefixes[] = {"cl_device_", "cl_"};

    lower(raw);
    if (strcmp(raw, "cl_device_queue_on_host_properties") == 0) return "queue_properties";
    for (size_t i = 0; i < 2; i++)
        if (strncmp(raw, prefixes[i], strlen(prefixes[i])) == 0) return raw + strlen(prefixes[i]);
    return raw;
}

/* The names of all bits stand in the raw text, and it has as many. clinfo leaves out the bit for correctly rounded
 * division where it means nothing, though PoCL sets it for double. */
static int flags_agree(const weir_property *property, const char *name, char *value)
{
    unsigned bits = 0;
    unsigned words = value[0] != '\0';

    lower(value);
    for (const char *at = value; (at = strchr(at, '|')) != NULL; at++) words++;
    for (unsigned bit = 0; bit < 64; bit++) {
        const char *flag = weir_property_flag_name(name, bit);

        if ((property->number >> bit & 1) == 0) continue;
        if (bit == 7 && strcmp(name, "double_fp_config") == 0) continue;
        bits++;
        if (flag == NULL || strstr(value, flag) == NULL) return 0;
    }
    return bits == words;
}

static int numbers_agree(const weir_property *property, char *value)
{
    unsigned count = 0;

    for (char *word = strtok(value, " "); word != NULL; word = strtok(NULL, " "), count++)
        if (count >= property->count || strtoull(word, NULL, 0) != property->numbers[count])
            return 0;
    return count == property->count;
}

static int agrees(const weir_property *property, const char *name, char *value)
{
    switch (property->kind) {
    case WEIR_PROPERTY_TEXT:
        if (strcmp(property->text, value) == 0) return 1;
        lower(value); /* CL_READ_WRITE_CACHE */
        return strncmp(value, "cl_", 3) == 0 && strstr(value, property->text) != NULL;
    case WEIR_PROPERTY_NUMBER:
        return strtoull(value, NULL, 0) == property->number;
    case WEIR_PROPERTY_BOOL:
        return strcmp(value, property->number != 0 ? "CL_TRUE" : "CL_FALSE") == 0;
    case WEIR_PROPERTY_FLAGS:
        return flags_agree(property, name, value);
    case WEIR_PROPERTY_NUMBERS:
        return numbers_agree(property, value);
    }
    return 0;
}

/* Compares one line of clinfo; returns 1 if it was about a property of ours. */
static int compare(const weir_device *device, char *raw, char *value)
{
    const char *name = property_name(raw);
    weir_property property;

    for (size_t n = strlen(value); n > 0 && strchr(" \t\r\n", value[n - 1]) != NULL; n--)
        value[n - 1] = '\0';
    if (is_volatile(name) || !weir_record_find(weir_device_get_record(device), name, &property))
        return 0;
    if (value[0] == '<') return 0; /* clinfo's words for a query that failed */
    /* Asked of a kernel that clinfo builds: only texts have it. */
    if (strcmp(name, "kernel_preferred_work_group_size_multiple") == 0) return 0;
    cr_assert_eq(property.state, WEIR_PROPERTY_VALUE, "%s: clinfo has \"%s\", the record nothing",
                 name, value);
    cr_assert(agrees(&property, name, value), "%s: clinfo has \"%s\"; text \"%s\", number %llu",
              name, value, property.text, (unsigned long long)property.number);
    return 1;
}

/* Splits "[SUFFIX/n]  NAME  VALUE" in place; returns 0 if the line is not about a device. */
static int split(char *line, unsigned *device, char **raw, char **value)
{
    char *slash = line[0] == '[' ? strchr(line, '/') : NULL;
    char *end = NULL;

    if (slash == NULL || !isdigit((unsigned char)slash[1])) return 0;
    *device = (unsigned)strtoul(slash + 1, &end, 10);
    if (*end != ']') return 0;
    *raw = end + 1 + strspn(end + 1, " ");
    if (strncmp(*raw, "CL_", 3) != 0) return 0;
    *value = *raw + strcspn(*raw, " \n");
    if (**value != '\0') *(*value)++ = '\0';
    *value += strspn(*value, " ");
    return 1;
}

static weir_device *device_at(const weir_system *system, int platform, unsigned device)
{
    char index[32];
    weir_device *found = NULL;

    snprintf(index, sizeof index, "%d.%u", platform, device);
    wt_ok(weir_system_find(system, index, &found));
    return found;
}

Test(system, agrees_with_clinfo)
{
    static char line[65536];
    weir_system *system = NULL;
    FILE *clinfo =
        popen("clinfo --raw 2>/dev/null", "r"); /* NOLINT(cert-env33-c): a fixed command */
    int platform = -1;
    unsigned compared = 0;
    unsigned lines = 0;

    cr_assert_not_null(clinfo);
    wt_ok(weir_system_create(&system));
    while (fgets(line, sizeof line, clinfo) != NULL) {
        unsigned device = 0;
        char *raw = NULL;
        char *value = NULL;

        lines++;
        if (strstr(line, "/*]") != NULL && strstr(line, " CL_PLATFORM_NAME ") != NULL)
            platform++;
        else if (split(line, &device, &raw, &value))
            compared += (unsigned)compare(device_at(system, platform, device), raw, value);
    }
    pclose(clinfo);
    if (lines == 0) {
        weir_system_destroy(system);
        cr_skip("clinfo is not installed");
    }
    cr_assert_gt(weir_system_count(system), 0U);
    cr_assert_geq(compared, 50U * (unsigned)weir_system_count(system), "%u properties compared",
                  compared);
    weir_system_destroy(system);
}

Test(system, gives_what_the_getters_say)
{
    weir_system *system = NULL;

    wt_ok(weir_system_create(&system));
    for (size_t i = 0; i < weir_system_count(system); i++) {
        weir_device *device = weir_system_device(system, i);
        weir_device *found = NULL;
        weir_property property;

        wt_ok(weir_system_find(system, weir_device_get_index(device), &found));
        cr_assert_eq(found, device);
        cr_assert(weir_record_find(weir_device_get_record(device), "name", &property));
        cr_assert_not_null(strstr(property.text, weir_device_get_name(device)));
        cr_assert_neq(weir_device_get_name(device)[0], ' ');
        cr_assert(weir_record_find(weir_device_get_record(device), "platform.name", &property));
        cr_assert_not_null(strstr(property.text, weir_device_get_platform_name(device)));
    }
    cr_assert_null(weir_system_device(system, weir_system_count(system)));
    weir_system_destroy(system);
}

static const wt_null_control *use_null(unsigned devices, const char *type)
{
    char count[8];

    snprintf(count, sizeof count, "%u", devices);
    setenv("WT_NULL_DEVICES", count, 1);
    setenv("WT_NULL_TYPE", type, 1);
    return wt_null_use();
}

Test(system, refuses_malformed_selectors_and_lists_choices)
{
    static const char *const malformed[] = {"", "gpu", "0", "type=fpga", "pci=1"};
    weir_system *system = NULL;
    weir_device *device = NULL;

    use_null(2, "gpu");
    wt_ok(weir_system_create(&system));
    cr_assert_eq(weir_system_count(system), 2U);
    device = weir_system_device(system, 0);
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        device = weir_system_device(system, 0);
        wt_fails(weir_system_find(system, malformed[i], &device), WEIR_E_ARG);
        cr_assert_null(device);
    }
    device = weir_system_device(system, 0);
    wt_fails(weir_system_find(system, "0.2", &device), WEIR_E_NO_DEVICE);
    cr_assert_null(device);
    cr_assert_not_null(strstr(weir_last_error()->message, "0.2"));
    cr_assert_not_null(strstr(weir_last_error()->message, "0.0 discrete weir null device"));
    cr_assert_not_null(strstr(weir_last_error()->message, "0.1 discrete"));
    wt_fails(weir_system_find(system, "type=cpu", &device), WEIR_E_NO_DEVICE);
    wt_fails(weir_system_find(NULL, NULL, &device), WEIR_E_ARG);
    wt_fails(weir_system_find(system, NULL, NULL), WEIR_E_ARG);
    wt_ok(weir_system_find(system, NULL, &device));
    cr_assert_str_eq(weir_device_get_index(device), "0.0");
    weir_system_destroy(system);
}

Test(system, takes_accelerators_only_when_named)
{
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_text *text = NULL;

    use_null(1, "accelerator");
    wt_ok(weir_system_create(&system));
    wt_fails(weir_system_find(system, NULL, &device), WEIR_E_NO_DEVICE);
    cr_assert_not_null(strstr(weir_last_error()->message, "only if named"));
    wt_ok(weir_system_find(system, "name~null", &device));
    cr_assert_eq(weir_device_get_class(device), WEIR_DEVICE_ACCELERATOR);
    wt_ok(weir_text_create(&text));
    weir_system_explain(system, text);
    cr_assert_not_null(strstr(weir_text_get(text), "none of them is taken"));
    weir_text_destroy(text);
    weir_system_destroy(system);
}

/* Explains a system without devices; the words must stand in the explanation and the first also in find's message. */
static void expect_reason(const char *reason, const char *detail)
{
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_text *text = NULL;

    wt_ok(weir_system_create(&system));
    wt_ok(weir_text_create(&text));
    cr_assert_eq(weir_system_count(system), 0U);
    weir_system_explain(system, text);
    cr_assert_not_null(strstr(weir_text_get(text), reason), "%s", weir_text_get(text));
    cr_assert_not_null(strstr(weir_text_get(text), detail), "%s", weir_text_get(text));
    cr_assert_not_null(strstr(weir_text_get(text), "device nodes:"), "%s", weir_text_get(text));
    wt_fails(weir_system_find(system, NULL, &device), WEIR_E_NO_DEVICE);
    cr_assert_not_null(strstr(weir_last_error()->message, reason), "%s",
                       weir_last_error()->message);
    cr_assert_null(strchr(weir_last_error()->message, '\n'));
    weir_text_destroy(text);
    weir_system_destroy(system);
}

static char place[64];

static void write_icd(const char *icd)
{
    char path[128];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/x.icd", place);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(icd, file);
    fclose(file);
}

static void make_place(const char *icd)
{
    snprintf(place, sizeof place, "/tmp/weir-system-XXXXXX");
    cr_assert_not_null(mkdtemp(place));
    setenv("OCL_ICD_VENDORS", place, 1);
    if (icd != NULL) write_icd(icd);
}

static void drop_place(void)
{
    char path[128];

    snprintf(path, sizeof path, "%s/x.icd", place);
    unlink(path);
    rmdir(place);
}

Test(system, explains_an_empty_directory)
{
    make_place(NULL);
    setenv("RUSTICL_ENABLE", "llvmpipe", 1);
    expect_reason("no ICD files in", "RUSTICL_ENABLE=llvmpipe");
    drop_place();
}

Test(system, explains_a_directory_that_is_not_there)
{
    setenv("OCL_ICD_VENDORS", "/no/such/place", 1);
    expect_reason("cannot be opened", "OCL_ICD_VENDORS=/no/such/place");
}

Test(system, explains_a_library_that_is_not_there)
{
    make_place("libweir_test_no_such_driver.so\n");
    expect_reason("name a library that is not there", "libweir_test_no_such_driver.so");
    drop_place();
}

Test(system, explains_a_library_that_is_no_driver)
{
    make_place("libm.so.6\n");
    expect_reason("name a library that is no driver", "libm.so.6 is there and loads");
    drop_place();
}

Test(system, explains_a_library_that_cannot_be_loaded)
{
    char path[128];
    char line[160];
    FILE *file = NULL;

    make_place(NULL);
    snprintf(path, sizeof path, "%s/libweir-broken.so", place);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("this is no library\n", file);
    fclose(file);
    snprintf(line, sizeof line, "%s\n", path);
    write_icd(line);
    expect_reason("1 of 1 ICD entries", "libweir-broken.so is there but could not be loaded: ");
    expect_reason("could not be loaded (", "libweir-broken.so: file too short");
    unlink(path);
    drop_place();
}

/* Variables as those who hide devices set them; the reason names them, too. */
Test(system, names_the_variables_that_may_hide_devices)
{
    use_null(0, "gpu");
    setenv("ROCR_VISIBLE_DEVICES", "1", 1);
    setenv("GPU_DEVICE_ORDINAL", "7", 1);
    setenv("OCL_ICD_DEBUG", "0", 1);
    setenv("VISIBLE_DEVICES_OF_MINE", "1", 1);
    expect_reason("devices may be hidden by ", "  ROCR_VISIBLE_DEVICES=1\n");
    expect_reason("GPU_DEVICE_ORDINAL", "  OCL_ICD_DEBUG=0\n");
    expect_reason("platforms without devices: weir null", "variables that hide devices are among");
    expect_reason("ROCR_VISIBLE_DEVICES", "this process: user ");
}

Test(system, tells_of_a_container)
{
    make_place(NULL);
    setenv("container", "lxc", 1);
    expect_reason("no ICD files in", "inside a container, as the variable `container` says: ");
    unsetenv("container");
    setenv("SNAP", "/snap/x", 1);
    expect_reason("no ICD files in", "inside snap: ");
    drop_place();
}

Test(system, explains_a_platform_without_devices)
{
    use_null(0, "gpu");
    expect_reason("platforms without devices: weir null", "0: weir null: 0 devices");
}

Test(system, warns_of_a_platform_that_fails)
{
    const wt_null_control *control = use_null(1, "gpu");
    weir_system *system = NULL;

    control->reset_calls();
    cr_assert(control->set("FAIL", "clGetDeviceIDs:1+:-5"));
    wt_ok(weir_system_create(&system));
    cr_assert_eq(weir_system_count(system), 0U);
    cr_assert_not_null(weir_system_warning(system, 0));
    cr_assert_not_null(strstr(weir_system_warning(system, 0), "CL_OUT_OF_RESOURCES"), "%s",
                       weir_system_warning(system, 0));
    cr_assert_null(weir_system_warning(system, 1));
    weir_system_destroy(system);
}

Test(system, keeps_failed_queries_inside_the_record)
{
    const wt_null_control *control = use_null(1, "gpu");
    weir_system *system = NULL;
    weir_device *device = NULL;
    unsigned errors = 0;

    control->reset_calls();
    cr_assert(control->set("FAIL", "clGetDeviceInfo:1+:-5"));
    wt_ok(weir_system_create(&system));
    device = weir_system_device(system, 0);
    cr_assert_not_null(device);
    cr_assert_str_eq(weir_device_get_name(device), "");
    for (size_t i = 0; i < weir_property_count(); i++) {
        weir_property property;

        weir_record_get(weir_device_get_record(device), i, &property);
        errors += property.state == WEIR_PROPERTY_ERROR;
        cr_assert(property.is_platform || property.state != WEIR_PROPERTY_VALUE, "%s",
                  property.name);
        if (property.state == WEIR_PROPERTY_ERROR && !property.is_platform)
            cr_assert_eq(property.number, 5U);
    }
    cr_assert_gt(errors, 20U);
    weir_system_destroy(system);
}

static long allowed;
static long blocks;

static void *count_allocate(size_t bytes, void *user)
{
    void *memory = NULL;

    (void)user;
    if (allowed-- <= 0) return NULL;
    memory = malloc(bytes);
    blocks += memory != NULL;
    return memory;
}

static void *count_reallocate(void *memory, size_t bytes, void *user)
{
    void *moved = NULL;

    (void)user;
    if (allowed-- <= 0) return NULL;
    moved = realloc(memory, bytes);
    blocks += memory == NULL && moved != NULL;
    return moved;
}

static void count_release(void *memory, void *user)
{
    (void)user;
    blocks -= memory != NULL;
    free(memory);
}

Test(system, survives_every_lack_of_host_memory)
{
    const weir_host_allocator counting = {count_allocate, count_reallocate, count_release, NULL};
    weir_system *system = NULL;
    weir_status status = WEIR_E_HOST_MEMORY;
    long n = 0;

    use_null(2, "gpu");
    wt_ok(weir_host_memory_set(&counting));
    for (n = 0; status != WEIR_OK && n < 10000; n++) {
        allowed = n;
        status = weir_system_create(&system);
        if (status == WEIR_OK) break;
        cr_assert_eq(status, WEIR_E_HOST_MEMORY, "allocation %ld: %s", n,
                     weir_last_error()->message);
        cr_assert_null(system);
        cr_assert_eq(blocks, 0, "allocation %ld leaked %ld blocks", n, blocks);
    }
    cr_assert_eq(status, WEIR_OK);
    cr_assert_gt(n, 20);
    cr_assert_eq(weir_system_count(system), 2U);
    weir_system_destroy(system);
    cr_assert_eq(blocks, 0);
}
