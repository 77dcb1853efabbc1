/* One probe of all drivers is the rule, and its answer is all that a listing needs. When it gives none each driver is tried
 * alone, all at once; when it takes long they are tried while it goes on, so that a driver that hangs costs its time
 * once. Then those that answered are tried together; if these do not get on, they are added one by one, and one that
 * ends the others is left out. One thread. */
#include "live.h"

#include "command.h"
#include "icd_list.h"
#include "interrupt.h"
#include "number.h"
#include "output.h"
#include "probe.h"
#include "stopwatch.h"
#include "trials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_DEFAULT 10
#define SECONDS_MAX 3600
#define PATIENCE_SECONDS \
    1.0 /* most drivers answer within it; a quarter of the limit if that is less */
#define LINE_BYTES 1024

/* The search for drivers that answer. */
typedef struct search {
    unsigned seconds;
    icd_list drivers;
    trials alone;
    int is_tried; /* `drivers` and `alone` are made; `alone` is empty if there is one driver, which is all of them */
    int is_out_of_memory;
    json_t *dropped; /* warnings */
    probe_result last;
} search;

/* What a list is, beside its JSON. */
typedef struct list_facts {
    size_t dropped;
    int is_searched; /* all drivers together gave no answer */
} list_facts;

static icd_folder folder;

static void clear_away(void)
{
    icd_folder_restore(&folder);
    interrupt_release_ends();
}

/* Leaves a driver out for what the last probe did. */
static void drop(search *s, icd_entry *driver, const char *more)
{
    char how[128];
    char line[LINE_BYTES] = "";

    driver->is_used = 0;
    (void)probe_describe(&s->last, how, sizeof how);
    output_append(line, sizeof line, "%s%s is left out: its driver %s%s", driver->path,
                  driver->kind == ICD_ADDED ? " (of OCL_ICD_FILENAMES)" : "", how, more);
    (void)json_array_append_new(s->dropped, output_text(line));
}

/* Probes the used drivers. Returns 1 if they answered. */
static int try_used(search *s)
{
    free(s->last.text);
    memset(&s->last, 0, sizeof s->last);
    if (icd_folder_use(&folder, &s->drivers)) {
        probe_run(s->seconds, &s->last);
    } else {
        s->last.end = PROBE_NOT_STARTED;
        s->last.number = errno;
    }
    return s->last.end == PROBE_ANSWERED;
}

/* 1 if no further probe makes sense. */
static int is_over(const search *s)
{
    return s->last.end == PROBE_INTERRUPTED || s->last.end == PROBE_NOT_STARTED;
}

static void use_all(search *s, int is_used)
{
    for (size_t i = 0; i < s->drivers.count; i++) s->drivers.entries[i].is_used = is_used;
}

/* Starts to try each driver alone, once. */
static void start_each(search *s)
{
    if (s->is_tried) return;
    s->is_tried = 1;
    /* From here on there are folders to remove. */
    interrupt_catch();
    interrupt_hold_ends();
    s->is_out_of_memory = !icd_list_read(&s->drivers);
    if (!s->is_out_of_memory && s->drivers.count > 1)
        s->is_out_of_memory = !trials_start(&s->drivers, s->seconds, &s->alone);
}

/* Probes all drivers together, and those that take long also alone. Leaves the answer of all in `last`. */
static void try_all(search *s)
{
    double patience = s->seconds / 4.0;
    double from = stopwatch_now();
    probe *all = probe_start(s->seconds, &s->last.number);

    if (all == NULL) {
        s->last.end = PROBE_NOT_STARTED;
        return;
    }
    if (patience > PATIENCE_SECONDS) patience = PATIENCE_SECONDS;
    while (!probe_is_over(all)) {
        probe_wait(&all, 1);
        if (stopwatch_now() - from > patience) start_each(s);
        (void)trials_are_over(&s->alone);
    }
    probe_end_with(all, &s->last);
}

/* Keeps in `is_good` which drivers answer alone. */
static void take_each(search *s, unsigned char *is_good)
{
    probe_result all = s->last;

    trials_wait(&s->alone);
    for (size_t i = 0; i < s->alone.count && !is_over(s); i++) {
        s->last = s->alone.results[i];
        s->last.text = NULL;
        is_good[i] = s->last.end == PROBE_ANSWERED;
        if (!is_good[i] && !is_over(s)) drop(s, &s->drivers.entries[i], "");
    }
    if (!is_over(s)) s->last = all;
}

/* Adds those that answer alone one by one. Leaves the answer of those that stay in `last`. */
static void try_together(search *s, const unsigned char *is_good)
{
    use_all(s, 0);
    for (size_t i = 0; i < s->drivers.count && !is_over(s); i++) {
        if (!is_good[i]) continue;
        s->drivers.entries[i].is_used = 1;
        if (!try_used(s) && !is_over(s))
            drop(s, &s->drivers.entries[i], " beside the drivers before it");
    }
    if (!is_over(s) && s->last.end != PROBE_ANSWERED) (void)try_used(s);
}

static size_t count_used(const search *s)
{
    size_t count = 0;

    for (size_t i = 0; i < s->drivers.count; i++) count += s->drivers.entries[i].is_used != 0;
    return count;
}

/* 1 if all drivers together would only hang once more. */
static int is_hopeless(const search *s)
{
    return s->last.end == PROBE_HUNG && count_used(s) == s->drivers.count;
}

/* After a probe of all drivers failed: finds those that answer, and how they do together. */
static int find_drivers(search *s)
{
    unsigned char *is_good = NULL;
    char how[128];
    char line[LINE_BYTES] = "";

    (void)probe_describe(&s->last, how, sizeof how);
    output_append(line, sizeof line, "the drivers answered only when asked again; at first one %s",
                  how);
    start_each(s);
    is_good = calloc(s->drivers.count + 1, 1);
    if (s->is_out_of_memory || is_good == NULL) {
        free(is_good);
        return 0;
    }
    if (s->drivers.count == 1)
        drop(s, &s->drivers.entries[0], "");
    else
        take_each(s, is_good);
    for (size_t i = 0; i < s->drivers.count; i++) s->drivers.entries[i].is_used = is_good[i];
    if (!is_over(s) && count_used(s) > 0 && (is_hopeless(s) || !try_used(s)))
        try_together(s, is_good);
    if (s->last.end == PROBE_ANSWERED && json_array_size(s->dropped) == 0)
        (void)json_array_append_new(s->dropped, output_text(line));
    free(is_good);
    return 1;
}

static int read_seconds(const char *command, unsigned *seconds)
{
    const char *text = getenv("WEIR_PROBE_SECONDS");
    uint64_t number = SECONDS_DEFAULT;

    if (text != NULL && text[0] != '\0' && !number_parse(text, SECONDS_MAX, &number)) {
        output_usage("weir %s: WEIR_PROBE_SECONDS: '%s' is not valid; expected 0 to %d", command,
                     text, SECONDS_MAX);
        return PROGRAM_USAGE;
    }
    *seconds = (unsigned)number;
    return PROGRAM_OK;
}

static int end_code(const char *command, const search *s)
{
    if (s->last.end == PROBE_INTERRUPTED) {
        output_usage("weir %s: interrupted", command);
        return PROGRAM_INTERRUPTED;
    }
    output_usage("weir %s: drivers could not be tried one by one: %s", command,
                 s->last.end == PROBE_NOT_STARTED ? strerror(s->last.number) : "no host memory");
    return PROGRAM_FAILED;
}

/* The answer of a search without drivers that answer. */
static json_t *nothing(const search *s)
{
    char reason[LINE_BYTES] = "";

    if (s->drivers.count > 0) {
        output_append(reason, sizeof reason,
                      "no driver answered: each of the %zu that the loader is told of was left out",
                      s->drivers.count);
    } else {
        char how[128];

        output_append(reason, sizeof reason, "the OpenCL loader %s",
                      probe_describe(&s->last, how, sizeof how));
    }
    return json_pack("{s:s, s:[], s:[], s:o, s:s}", "source", "live", "records", "warnings",
                     "reason", output_text(reason), "explanation", "");
}

/* The reason of drivers that answered and have no device: the loader was told of them only, in a folder made for it. */
static void tell_of_the_rest(const search *s, json_t *root)
{
    char reason[LINE_BYTES] = "";
    size_t left_out = s->drivers.count - count_used(s);
    char *text = icd_folder_hide(&folder, json_string_value(json_object_get(root, "explanation")));

    output_append(reason, sizeof reason,
                  "%zu of %zu drivers %s left out, and the others have no device", left_out,
                  s->drivers.count, left_out == 1 ? "was" : "were");
    (void)json_object_set_new(root, "reason", output_text(reason));
    (void)json_object_set_new(root, "explanation", output_text(text != NULL ? text : ""));
    free(text);
}

/* Takes what the search left: the answer, with the warnings of dropped drivers before its own. */
static json_t *take_answer(search *s)
{
    json_t *root = s->last.end == PROBE_ANSWERED ? json_loads(s->last.text, 0, NULL) : nothing(s);
    json_t *warnings = json_object_get(root, "warnings");

    if (s->last.end == PROBE_ANSWERED && count_used(s) < s->drivers.count &&
        json_array_size(json_object_get(root, "records")) == 0 &&
        json_string_value(json_object_get(root, "explanation")) != NULL)
        tell_of_the_rest(s, root);
    for (size_t i = json_array_size(s->dropped); i > 0 && warnings != NULL; i--)
        (void)json_array_insert(warnings, 0, json_array_get(s->dropped, i - 1));
    return root;
}

/* Lists the devices. NULL and *code, with a line on stderr, if that fails. */
static json_t *list(const char *command, list_facts *facts, int *code)
{
    search s = {.dropped = json_array()};
    json_t *root = NULL;

    *code = read_seconds(command, &s.seconds);
    if (*code != PROGRAM_OK) goto done;
    if (s.seconds > 0) try_all(&s);
    if (s.seconds == 0 || s.last.end == PROBE_NOT_STARTED) {
        root = probe_here();
    } else if (s.last.end == PROBE_ANSWERED) {
        root = take_answer(&s);
    } else if (s.last.end != PROBE_INTERRUPTED && find_drivers(&s) && !is_over(&s)) {
        facts->is_searched = 1;
        root = take_answer(&s);
    } else {
        *code = end_code(command, &s);
        goto done;
    }
    facts->dropped = json_array_size(s.dropped);
    if (root == NULL) {
        output_usage("weir %s: no host memory for the list of devices", command);
        *code = PROGRAM_FAILED;
    }
done:
    trials_end(&s.alone);
    free(s.last.text);
    icd_list_dispose(&s.drivers);
    json_decref(s.dropped);
    return root;
}

/* Prints an error that the probe met itself. */
static int refuse(const char *command, const json_t *root)
{
    const char *hint = json_string_value(json_object_get(root, "hint"));

    output_usage("weir %s: %s", command, json_string_value(json_object_get(root, "error")));
    if (hint != NULL && hint[0] != '\0') output_usage("  %s", hint);
    return PROGRAM_FAILED;
}

static char *take_text(json_t *root, const char *name)
{
    const char *text = json_string_value(json_object_get(root, name));
    char *copy = strdup(text != NULL ? text : "");

    (void)json_object_del(root, name);
    return copy;
}

int live_read(const char *command, live_devices *out)
{
    int code = PROGRAM_OK;
    char *text = NULL;
    list_facts facts = {0, 0};
    json_t *root = list(command, &facts, &code);

    out->dropped = facts.dropped;
    clear_away();
    if (root == NULL) return code;
    if (json_object_get(root, "error") != NULL) {
        code = refuse(command, root);
        json_decref(root);
        return code;
    }
    out->listing = root;
    out->reason = take_text(root, "reason");
    out->explanation = take_text(root, "explanation");
    text = json_dumps(root, JSON_COMPACT);
    if (text == NULL || out->reason == NULL || out->explanation == NULL) {
        output_usage("weir %s: no host memory for the list of devices", command);
        code = PROGRAM_FAILED;
    } else if (json_array_size(json_object_get(root, "records")) > 0) {
        if (weir_records_read(text, strlen(text), "live", &out->records) != WEIR_OK) {
            output_error(command);
            code = PROGRAM_FAILED;
        }
        out->count = weir_records_count(out->records);
    }
    free(text);
    return code;
}

void live_dispose(live_devices *live)
{
    weir_records_destroy(live->records);
    json_decref(live->listing);
    free(live->reason);
    free(live->explanation);
    memset(live, 0, sizeof *live);
}

const char *live_warning(const live_devices *live, size_t i)
{
    return json_string_value(json_array_get(json_object_get(live->listing, "warnings"), i));
}

int live_guard(const char *command)
{
    static int is_done;
    list_facts facts = {0, 0};
    int code = PROGRAM_OK;
    json_t *root = NULL;
    json_t *warnings = NULL;

    if (is_done) return PROGRAM_OK;
    is_done = 1;
    root = list(command, &facts, &code);
    warnings = json_object_get(root, "warnings");
    for (size_t i = 0; i < facts.dropped; i++)
        output_usage("weir %s: warning: %s", command,
                     json_string_value(json_array_get(warnings, i)));
    if (root != NULL && facts.is_searched &&
        json_array_size(json_object_get(root, "records")) == 0) {
        output_usage("weir %s: %s", command, json_string_value(json_object_get(root, "reason")));
        code = PROGRAM_NO_DEVICE;
    }
    if (code != PROGRAM_OK) clear_away();
    json_decref(root);
    return code;
}

void live_guard_end(void) { clear_away(); }
