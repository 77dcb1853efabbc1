/* Settings, call counts and failure rules of the null ICD.
 *
 * Settings come from the environment when the library is loaded and from wt_null_control later. A rule is looked at
 * only while there are rules, so that counting is all a call costs otherwise: one relaxed addition, and one for all.
 * Rules and settings are not locked: they are changed while no OpenCL call runs.
 */
#include "null_icd.h"

#include "../null_control.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RULES_MAX 16
#define ANY_CALL NULL_CALL_COUNT

typedef enum rule_action { RULE_FAIL, RULE_CRASH, RULE_HANG } rule_action;

typedef struct rule {
    unsigned call; /* null_call, or ANY_CALL */
    uint64_t from;
    int is_open; /* 1: every later call too */
    rule_action action;
    cl_int code;
} rule;

null_settings null_set;

static _Atomic uint64_t counts[NULL_CALL_COUNT + 1]; /* the last one counts all calls */
static rule rules[RULES_MAX];
static unsigned rule_count;

static const char *const call_names[NULL_CALL_COUNT] = {
#define NULL_CALL_NAME(Name) #Name,
    NULL_CALL_LIST(NULL_CALL_NAME)
#undef NULL_CALL_NAME
};

/* The call of that name; NULL_CALL_COUNT + 1 if there is none. */
static unsigned find_call(const char *name, size_t bytes)
{
    for (unsigned i = 0; i < NULL_CALL_COUNT; i++)
        if (strlen(call_names[i]) == bytes && memcmp(call_names[i], name, bytes) == 0) return i;
    return NULL_CALL_COUNT + 1;
}

static cl_int apply(const rule *row, uint64_t number)
{
    if (number < row->from || (number > row->from && !row->is_open)) return CL_SUCCESS;
    if (row->action == RULE_CRASH) raise(SIGSEGV);
    while (row->action == RULE_HANG) pause();
    return row->code;
}

cl_int null_enter(null_call call)
{
    uint64_t number = 1 + atomic_fetch_add_explicit(&counts[call], 1, memory_order_relaxed);
    uint64_t number_all = 1 + atomic_fetch_add_explicit(&counts[ANY_CALL], 1, memory_order_relaxed);

    for (unsigned i = 0; i < rule_count; i++) {
        cl_int code = CL_SUCCESS;
        if (rules[i].call == ANY_CALL) code = apply(&rules[i], number_all);
        if (rules[i].call == (unsigned)call) code = apply(&rules[i], number);
        if (code != CL_SUCCESS) return code;
    }
    return CL_SUCCESS;
}

/* Reads one "CALL:N:CODE" of `bytes` characters. */
static int parse_rule(const char *text, size_t bytes, rule *out)
{
    char copy[128];
    char *number = NULL;
    char *code = NULL;
    char *end = NULL;

    if (bytes == 0 || bytes >= sizeof copy) return 0;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    number = strchr(copy, ':');
    if (number == NULL) return 0;
    *number++ = '\0';
    code = strchr(number, ':');
    if (code == NULL) return 0;
    *code++ = '\0';

    out->call = strcmp(copy, "*") == 0 ? (unsigned)ANY_CALL : find_call(copy, strlen(copy));
    if (out->call > ANY_CALL) return 0;
    out->from = strtoull(number, &end, 10);
    out->is_open = *end == '+';
    if (end == number || out->from == 0 || end[out->is_open] != '\0') return 0;
    out->action = strcmp(code, "crash") == 0  ? RULE_CRASH
                  : strcmp(code, "hang") == 0 ? RULE_HANG
                                              : RULE_FAIL;
    out->code = out->action == RULE_FAIL ? (cl_int)strtol(code, &end, 10) : CL_OUT_OF_RESOURCES;
    return out->action != RULE_FAIL || (end != code && *end == '\0' && out->code < 0);
}

static int parse_rules(const char *text)
{
    rule parsed[RULES_MAX];
    unsigned count = 0;

    while (*text != '\0') {
        size_t bytes = strcspn(text, ";");
        if (bytes > 0) {
            if (count == RULES_MAX || !parse_rule(text, bytes, &parsed[count])) return 0;
            count++;
        }
        text += bytes;
        if (*text == ';') text++;
    }
    if (count > 0) memcpy(rules, parsed, count * sizeof parsed[0]);
    rule_count = count;
    return 1;
}

static int parse_number(const char *text, uint64_t max, uint64_t *out)
{
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 10);

    if (end == text || *end != '\0' || *text == '-' || value > max) return 0;
    *out = value;
    return 1;
}

static int parse_unsigned(const char *text, unsigned max, unsigned *out)
{
    uint64_t value = 0;

    if (!parse_number(text, max, &value)) return 0;
    *out = (unsigned)value;
    return 1;
}

static int parse_flag(const char *text, int *out)
{
    uint64_t value = 0;

    if (!parse_number(text, 1, &value)) return 0;
    *out = (int)value;
    return 1;
}

static int replace_text(const char *text, char **out)
{
    char *copy = strdup(text);

    if (copy == NULL) return 0;
    free(*out);
    *out = copy;
    return 1;
}

static int parse_type(const char *text, cl_device_type *out)
{
    static const struct {
        const char *name;
        cl_device_type type;
    } types[] = {{"gpu", CL_DEVICE_TYPE_GPU},
                 {"cpu", CL_DEVICE_TYPE_CPU},
                 {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(text, types[i].name) != 0) continue;
        *out = types[i].type;
        return 1;
    }
    return 0;
}

static int set_PLATFORMS(const char *v) { return parse_unsigned(v, 1, &null_set.platforms); }
static int set_DEVICES(const char *v)
{
    return parse_unsigned(v, NULL_DEVICES_MAX, &null_set.devices);
}
static int set_TYPE(const char *v) { return parse_type(v, &null_set.type); }
static int set_UNIFIED(const char *v) { return parse_unsigned(v, 1, &null_set.unified); }
static int set_NAME(const char *v) { return replace_text(v, &null_set.name); }
static int set_VENDOR(const char *v) { return replace_text(v, &null_set.vendor); }
static int set_MEMORY(const char *v) { return parse_number(v, UINT64_MAX, &null_set.memory_bytes); }
static int set_MAX_ALLOC(const char *v)
{
    return parse_number(v, UINT64_MAX, &null_set.max_alloc_bytes);
}
static int set_CAPACITY(const char *v)
{
    return parse_number(v, UINT64_MAX, &null_set.capacity_bytes);
}
static int set_REFUSE_ABOVE(const char *v)
{
    return parse_number(v, UINT64_MAX, &null_set.refuse_above_bytes);
}
static int set_BACKED(const char *v) { return parse_flag(v, &null_set.is_backed); }
static int set_LAZY(const char *v) { return parse_flag(v, &null_set.is_lazy); }
static int set_BUILD_LOG(const char *v) { return replace_text(v, &null_set.build_log); }
static int set_FAIL(const char *v) { return parse_rules(v); }
static int set_COUNTS(const char *v) { return replace_text(v, &null_set.counts_path); }

static const struct {
    const char *name;
    const char *variable;
    const char *initial;
    int (*set)(const char *value);
} settings[] = {
#define NULL_SETTING_ROW(NAME, Default, Text) {#NAME, "WT_NULL_" #NAME, Default, set_##NAME},
    WT_NULL_SETTING_LIST(NULL_SETTING_ROW)
#undef NULL_SETTING_ROW
};

static int control_set(const char *setting, const char *value)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strcmp(setting, settings[i].name) == 0) return settings[i].set(value);
    return 0;
}

static uint64_t control_get_calls(const char *call)
{
    unsigned i = call == NULL ? (unsigned)ANY_CALL : find_call(call, strlen(call));

    return i > ANY_CALL ? UINT64_MAX : atomic_load(&counts[i]);
}

static void control_reset_calls(void)
{
    for (unsigned i = 0; i <= ANY_CALL; i++) atomic_store(&counts[i], 0);
}

static const wt_null_control control = {
    .set = control_set,
    .get_calls = control_get_calls,
    .reset_calls = control_reset_calls,
    .get_live = null_live_get,
    .get_buffer_bytes = null_buffer_bytes_get,
    .get_buffer_bytes_peak = null_buffer_bytes_peak_get,
    .get_pending_peak = null_pending_peak_get,
};

const void *const null_control = &control;

/* A malformed variable is a mistake in a test: better to stop than to run with another driver than was asked for. */
__attribute__((constructor)) static void load(void)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *value = getenv(settings[i].variable);
        if (settings[i].set(value != NULL ? value : settings[i].initial)) continue;
        fprintf(stderr, "null ICD: %s=%s is malformed\n", settings[i].variable, value);
        _exit(99);
    }
    null_add_platform(&null_table);
    null_add_context(&null_table);
    null_add_memory(&null_table);
    null_add_program(&null_table);
    null_add_command(&null_table);
    null_add_event(&null_table);
}

__attribute__((destructor)) static void unload(void)
{
    FILE *file = null_set.counts_path[0] != '\0' ? fopen(null_set.counts_path, "w") : NULL;

    for (unsigned i = 0; file != NULL && i < NULL_CALL_COUNT; i++)
        fprintf(file, "%s %llu\n", call_names[i], (unsigned long long)atomic_load(&counts[i]));
    if (file != NULL) fclose(file);
    free(null_set.name);
    free(null_set.vendor);
    free(null_set.build_log);
    free(null_set.counts_path);
}
