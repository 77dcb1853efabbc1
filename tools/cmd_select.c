/* `weir select`: which device a program should use, and why, live or from a text.
 *
 * The answer is one line; --explain adds every candidate with its class, terms, and what speaks against it. One thread.
 */
#include "command.h"
#include "device_json.h"
#include "live.h"
#include "output.h"
#include "table.h"

#include <weir/records.h>
#include <weir/select.h>

#include <stdlib.h>
#include <string.h>

typedef struct select_settings {
    const char *needs;
    const char *classes;
    const char *pick;
    int is_explained;
    int is_json;
} select_settings;

static const program_option options[] = {
    {.name = "need",
     .kind = OPTION_TEXT,
     .offset = offsetof(select_settings, needs),
     .argument = "LIST",
     .help =
         "what the device must have: fp64, fp16, full-profile, little-endian,\nimages, address=64, "
         "min-mem=SIZE, min-alloc=SIZE, min-local=SIZE,\nversion=1.2, ext=NAME"},
    {.name = "class",
     .kind = OPTION_TEXT,
     .offset = offsetof(select_settings, classes),
     .argument = "LIST",
     .help =
         "classes that may be taken: discrete, integrated, cpu, software,\naccelerator, emulator "
         "(all but the last two)"},
    {.name = "pick",
     .kind = OPTION_TEXT,
     .offset = offsetof(select_settings, pick),
     .argument = "SEL",
     .help = "0.1, pci=0000:01:00.0, uuid=.., name~text or type=gpu|cpu|accelerator;\n"
             "for live devices WEIR_DEVICE is the default",
     .is_empty_allowed = 1},
    {.name = "explain",
     .kind = OPTION_FLAG,
     .offset = offsetof(select_settings, is_explained),
     .help = "every candidate, and what speaks for and against it"},
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(select_settings, is_json),
     .help = "one JSON object with all of that"},
    {.name = NULL},
};

/* What is chosen from, and the choice. */
typedef struct selection {
    const char *source;
    live_devices live;
    weir_records *text; /* NULL: live */
    const weir_record **records;
    size_t count;
    weir_choice *choice;
} selection;

static const char *name_of(const weir_record *record, const char *property)
{
    weir_property name;

    (void)weir_record_find(record, property, &name);
    if (name.text[0] == '\0' && strcmp(property, "name") == 0)
        (void)weir_record_find(record, "board_name_amd", &name);
    return name.text;
}

static const char *warning_of(const selection *s, size_t i)
{
    return s->text != NULL ? weir_records_get_warning(s->text, i) : live_warning(&s->live, i);
}

/* Why there is nothing to choose from, or the choice's own reason. */
static const char *reason_of(const selection *s)
{
    if (s->count > 0) return weir_choice_get_reason(s->choice);
    if (s->text != NULL) return weir_records_get_reason(s->text);
    return s->live.reason;
}

static json_t *device_json_brief(const weir_record *record)
{
    return json_pack("{s:s, s:o, s:o, s:s}", "index", weir_record_get_index(record), "platform",
                     output_text(name_of(record, "platform.name")), "name",
                     output_text(name_of(record, "name")), "class",
                     weir_device_class_name(weir_record_get_class(record, NULL)));
}

static json_t *terms_json(const weir_choice *choice, size_t i, size_t count)
{
    json_t *list = json_array();

    for (size_t t = 0; t < count; t++) {
        weir_term term;

        (void)weir_choice_get_term(choice, i, t, &term);
        if (json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "name", term.name, "weight",
                                                  term.weight, "value", term.value)) != 0)
            break;
    }
    return list;
}

static json_t *candidate_json(const selection *s, size_t i)
{
    json_t *root = device_json_brief(s->records[i]);
    weir_candidate c;
    json_t *more = NULL;

    (void)weir_choice_get_candidate(s->choice, i, &c);
    more = json_pack("{s:b, s:o, s:o, s:o, s:o, s:o}", "eligible", c.is_eligible, "score",
                     c.is_eligible ? json_real(c.score) : json_null(), "terms",
                     terms_json(s->choice, i, c.term_count), "rejected",
                     c.rejected != NULL ? output_text(c.rejected) : json_null(), "duplicate_of",
                     c.duplicate_of == SIZE_MAX
                         ? json_null()
                         : json_string(weir_record_get_index(s->records[c.duplicate_of])),
                     "quirks", device_json_quirks(s->records[i]));
    if (root == NULL || more == NULL || json_object_update(root, more) != 0) {
        json_decref(root);
        root = NULL;
    }
    json_decref(more);
    return root;
}

static json_t *selection_json(const selection *s)
{
    size_t chosen = weir_choice_get_chosen(s->choice);
    json_t *candidates = json_array();
    json_t *warnings = json_array();
    int is_whole = 1;

    for (size_t i = 0; i < s->count && is_whole; i++)
        is_whole = json_array_append_new(candidates, candidate_json(s, i)) == 0;
    for (size_t i = 0; warning_of(s, i) != NULL && is_whole; i++)
        is_whole = json_array_append_new(warnings, output_text(warning_of(s, i))) == 0;
    for (size_t i = 0; weir_choice_get_warning(s->choice, i) != NULL && is_whole; i++)
        is_whole = json_array_append_new(warnings,
                                         output_text(weir_choice_get_warning(s->choice, i))) == 0;
    if (!is_whole) {
        json_decref(candidates);
        json_decref(warnings);
        return NULL;
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "source", output_text(s->source), "chosen",
                     chosen == SIZE_MAX ? json_null() : device_json_brief(s->records[chosen]),
                     "reason", output_text(reason_of(s)), "candidates", candidates, "warnings",
                     warnings);
}

static const table_column columns[] = {
    {"TERM", 0}, {"WEIGHT", 1}, {"VALUE", 1}, {"", 0}, {NULL, 0}};

static int explain_candidate(const selection *s, size_t i)
{
    text_table *table = table_create(columns);
    weir_candidate c;

    if (table == NULL) {
        (void)fprintf(stderr, "weir select: no host memory for a table\n");
        return PROGRAM_FAILED;
    }
    (void)weir_choice_get_candidate(s->choice, i, &c);
    (void)printf("%s  %s  %s  (%s)\n", weir_record_get_index(s->records[i]),
                 weir_device_class_name(c.device_class), name_of(s->records[i], "name"),
                 name_of(s->records[i], "platform.name"));
    (void)printf("class: %s\n", c.class_why);
    if (c.rejected != NULL) (void)printf("not taken: %s\n", c.rejected);
    for (size_t t = 0; t < c.term_count; t++) {
        weir_term term;

        (void)weir_choice_get_term(s->choice, i, t, &term);
        table_add(table, "%s", term.name);
        table_add(table, "%.0f", term.weight);
        table_add(table, "%g", term.value);
        table_add(table, "%s", term.meaning);
    }
    if (c.is_eligible) {
        table_print(table, stdout, output_has_colours(stdout));
        (void)printf("score: %.2f\n", c.score);
    }
    output_quirks(s->records[i]);
    table_destroy(table);
    (void)putchar('\n');
    return PROGRAM_OK;
}

/* 1 if a warning begins with a record's index. */
static int is_about(const char *warning, const weir_record *record)
{
    size_t bytes = strlen(weir_record_get_index(record));

    return strncmp(warning, weir_record_get_index(record), bytes) == 0 && warning[bytes] == ' ';
}

static int print_selection(const selection *s, int is_explained)
{
    size_t chosen = weir_choice_get_chosen(s->choice);
    int code = PROGRAM_OK;

    for (size_t i = 0; i < s->count && is_explained && code == PROGRAM_OK; i++)
        code = explain_candidate(s, i);
    if (chosen != SIZE_MAX) (void)printf("%s\n", weir_choice_get_reason(s->choice));
    for (size_t i = 0; warning_of(s, i) != NULL; i++)
        if (is_explained || chosen == SIZE_MAX || i < s->live.dropped)
            (void)printf("note: %s\n", warning_of(s, i));
    for (size_t i = 0; weir_choice_get_warning(s->choice, i) != NULL; i++)
        if (is_explained || chosen == SIZE_MAX ||
            is_about(weir_choice_get_warning(s->choice, i), s->records[chosen]))
            (void)printf("note: %s\n", weir_choice_get_warning(s->choice, i));
    return code;
}

static int open_text(selection *s, const char *path)
{
    weir_status status = weir_records_read_file(path, &s->text);

    if (status != WEIR_OK) {
        output_usage("weir select: %s%s%s", weir_last_error()->message,
                     weir_last_error()->hint[0] == '\0' ? "" : "; expected ",
                     weir_last_error()->hint);
        return status == WEIR_E_HOST_MEMORY ? PROGRAM_FAILED : PROGRAM_USAGE;
    }
    s->source = weir_records_get_source(s->text);
    s->count = weir_records_count(s->text);
    return PROGRAM_OK;
}

static int open_live(selection *s)
{
    int code = live_read("select", &s->live);

    s->source = "live";
    s->count = s->live.count;
    return code;
}

static int choose(selection *s, const select_settings *settings)
{
    weir_criteria criteria = WEIR_CRITERIA_INIT;
    weir_status status = WEIR_OK;

    s->records = calloc(s->count + 1, sizeof(*s->records));
    if (s->records == NULL) {
        (void)fprintf(stderr, "weir select: no host memory\n");
        return PROGRAM_FAILED;
    }
    for (size_t i = 0; i < s->count; i++)
        s->records[i] = weir_records_get(s->text != NULL ? s->text : s->live.records, i);
    criteria.needs = settings->needs;
    criteria.classes = settings->classes;
    criteria.pick = settings->pick;
    if (criteria.pick == NULL && s->text == NULL) {
        const char *variable = getenv("WEIR_DEVICE");
        criteria.pick = variable != NULL && variable[0] != '\0' ? variable : NULL;
    }
    status = weir_select(s->records, s->count, &criteria, &s->choice);
    if (status == WEIR_OK) return PROGRAM_OK;
    output_usage("weir select: %s; expected %s", weir_last_error()->message,
                 weir_last_error()->hint);
    return status == WEIR_E_ARG ? PROGRAM_USAGE : PROGRAM_FAILED;
}

static int tell(const selection *s, const select_settings *settings)
{
    int code = settings->is_json ? output_json(selection_json(s))
                                 : print_selection(s, settings->is_explained);

    if (code == PROGRAM_OK && weir_choice_get_chosen(s->choice) == SIZE_MAX) {
        if (s->text == NULL && s->count == 0)
            output_usage("weir select: %s; `weir devices` tells what was looked for and where",
                         reason_of(s));
        else
            output_usage("weir select: %s: %s",
                         strcmp(s->source, "-") == 0 ? "standard input" : s->source, reason_of(s));
        code = PROGRAM_NO_DEVICE;
    }
    return code;
}

static int run(const program_command *self, int argc, char **argv)
{
    select_settings settings = {0};
    selection s = {0};
    const char **operands = calloc((size_t)argc, sizeof *operands);
    size_t operand_count = 0;
    int code = PROGRAM_FAILED;

    if (operands == NULL) {
        (void)fprintf(stderr, "weir select: no host memory\n");
        return PROGRAM_FAILED;
    }
    code = option_parse(self, argc, argv, &settings, operands, &operand_count);
    if (code != OPTION_GO_ON) goto done;
    code = operand_count > 0 ? open_text(&s, operands[0]) : open_live(&s);
    if (code == PROGRAM_OK) code = choose(&s, &settings);
    if (code == PROGRAM_OK) code = tell(&s, &settings);
done:
    weir_choice_destroy(s.choice);
    free(s.records);
    weir_records_destroy(s.text);
    live_dispose(&s.live);
    free(operands);
    return code;
}

const program_command command_select = {
    .name = "select",
    .summary = "choose a device, and say why",
    .operands = "[FILE|-]",
    .operand_max = 1,
    .options = options,
    .details = "FILE is what clinfo (for people, --raw, --json, -l), AMD's clinfo or weir devices "
               "--json printed;\nwithout one the live devices are chosen from.\n"
               "Exit status: 0 a device was chosen, 1 failed, 2 bad usage or a text of no known "
               "format, 3 no device (the\nreason is on stderr).\n",
    .run = run,
};
