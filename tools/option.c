/* Reads a command line by a table of options, so that every command says the same thing about the same mistake.
 *
 * One line on stderr a mistake: where (command and option), what was given, what was expected, and --help as the way
 * on. A row for each kind reads its value; nothing is printed on stdout but help. */
#include "option.h"

#include "command.h"
#include "number.h"
#include "output.h"

#include <weir/replay.h>

#include <stdio.h>
#include <string.h>

/* Describes one occurrence of an option on the command line. */
typedef struct occurrence {
    const program_command *command;
    const program_option *option;
    const char *given; /* the value */
    void *target;
} occurrence;

static const char *dashes(const program_option *entry)
{
    return entry->name[1] == '\0' ? "-" : "--";
}

static int refuse(const occurrence *at, const char *expected)
{
    output_usage("weir %s: %s%s: '%s' is not valid; expected %s (see: weir %s --help)",
                 at->command->name, dashes(at->option), at->option->name, at->given, expected,
                 at->command->name);
    return PROGRAM_USAGE;
}

static int refuse_later(const program_command *owner, const program_option *entry,
                        const char *value)
{
    output_usage("weir %s: %s%s%s%s: not in this build (see: weir %s --help)", owner->name,
                 dashes(entry), entry->name, value == NULL ? "" : " ", value == NULL ? "" : value,
                 owner->name);
    return PROGRAM_USAGE;
}

static int read_text(const occurrence *at)
{
    if (at->given[0] == '\0' && !at->option->is_empty_allowed)
        return refuse(at, "a text that is not empty");
    *(const char **)at->target = at->given;
    return OPTION_GO_ON;
}

static int read_number(const occurrence *at)
{
    uint64_t max = at->option->max == 0 ? UINT64_MAX : at->option->max;
    char expected[80];

    if (number_parse(at->given, max, at->target)) return OPTION_GO_ON;
    (void)snprintf(expected, sizeof expected, "a whole number from 0 to %llu",
                   (unsigned long long)max);
    return refuse(at, expected);
}

static int read_size(const occurrence *at)
{
    uint64_t bytes = 0;

    if (!number_parse_size(at->given, &bytes) || bytes == 0)
        return refuse(at, "bytes above 0, such as 4096, 64K, 16M or 2G");
    *(uint64_t *)at->target = bytes;
    return OPTION_GO_ON;
}

static int read_limit(const occurrence *at)
{
    option_limit limit = {0, 0};

    if (!number_parse_percentage(at->given, &limit.fraction) &&
        (!number_parse_size(at->given, &limit.bytes) || limit.bytes == 0))
        return refuse(
            at, "bytes above 0, such as 16M, or a percentage of the device's memory up to 100%");
    *(option_limit *)at->target = limit;
    return OPTION_GO_ON;
}

/* Returns choice i of an option: those of its table, then the strategies; NULL past the last. */
static const option_choice *choice_at(const program_option *option, size_t i, option_choice *buffer)
{
    const option_choice *each = option->choices;

    for (; each != NULL && each->name != NULL; each++)
        if (i-- == 0) return each;
    *buffer = (option_choice){option->has_strategies ? weir_replay_strategy_name(i) : NULL, 1};
    return buffer->name != NULL ? buffer : NULL;
}

/* Writes "a, b or c": the choices of this build. */
static void list_choices(const program_option *option, char *buffer, size_t bytes)
{
    option_choice made;
    size_t left = 0;

    for (size_t i = 0; choice_at(option, i, &made) != NULL; i++)
        left += choice_at(option, i, &made)->is_present ? 1 : 0;
    buffer[0] = '\0';
    for (size_t i = 0; left > 0; i++) {
        const option_choice *each = choice_at(option, i, &made);

        if (!each->is_present) continue;
        left--;
        output_append(buffer, bytes, "%s%s", each->name,
                      left > 1 ? ", " : (left == 1 ? " or " : ""));
    }
}

static int read_choice(const occurrence *at)
{
    char expected[256];
    option_choice made;

    for (size_t i = 0; choice_at(at->option, i, &made) != NULL; i++) {
        const option_choice *each = choice_at(at->option, i, &made);

        if (strcmp(each->name, at->given) != 0) continue;
        if (!each->is_present) return refuse_later(at->command, at->option, at->given);
        *(const char **)at->target = each->name;
        return OPTION_GO_ON;
    }
    list_choices(at->option, expected, sizeof expected);
    return refuse(at, expected);
}

/* Tells a selector from a file's name: "0.1", "0.1:0", "pci=...", "uuid=...", "type=...", "name~...". */
static int is_selector(const char *text)
{
    static const char *const starts[] = {"pci=", "uuid=", "type=", "name~"};
    static const char digits[] = "0123456789";
    const size_t platform = strspn(text, digits);
    const char *device = text + platform + 1;

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (strncmp(text, starts[i], strlen(starts[i])) == 0) return 1;
    }
    if (platform == 0 || text[platform] != '.' || *device == '\0') return 0;
    device += strspn(device, digits);
    return *device == '\0' || (*device == ':' && device[-1] != '.');
}

static int read_device(const occurrence *at)
{
    if (at->given != NULL && at->given[0] == '\0')
        return refuse(at, "a device such as 0.1, pci=0000:01:00.0 or name~text");
    *(option_device *)at->target = (option_device){1, at->given};
    return OPTION_GO_ON;
}

static int read_value(const occurrence *at)
{
    static int (*const readers[])(const occurrence *at) = {
        [OPTION_TEXT] = read_text,   [OPTION_NUMBER] = read_number, [OPTION_SIZE] = read_size,
        [OPTION_LIMIT] = read_limit, [OPTION_CHOICE] = read_choice, [OPTION_DEVICE] = read_device,
    };

    return readers[at->option->kind](at);
}

/* Finds the option that `arg` names; *value is what follows an equals sign, else NULL. */
static const program_option *find(const program_option *options, const char *arg,
                                  const char **value)
{
    size_t lead = arg[1] == '-' ? 2 : 1;
    const char *name = arg + lead;
    const char *equals = lead == 2 ? strchr(name, '=') : NULL;
    size_t bytes = equals == NULL ? strlen(name) : (size_t)(equals - name);

    *value = equals == NULL ? NULL : equals + 1;
    for (; options->name != NULL; options++) {
        int is_short = options->name[1] == '\0';

        if (is_short == (lead == 1) && strlen(options->name) == bytes &&
            memcmp(options->name, name, bytes) == 0)
            return options;
    }
    return NULL;
}

static int refuse_unknown(const program_command *owner, const char *arg)
{
    char known[512] = "";

    for (const program_option *each = owner->options; each->name != NULL; each++)
        output_append(known, sizeof known, "%s%s, ", dashes(each), each->name);
    output_usage("weir %s: unknown option '%s'; expected one of %s--help", owner->name, arg, known);
    return PROGRAM_USAGE;
}

/* Handles argv[*i], an option, and moves *i past its value. */
static int take_option(const program_command *owner, int argc, char **argv, int *i, void *values)
{
    const char *value = NULL;
    const program_option *entry = find(owner->options, argv[*i], &value);
    occurrence at = {owner, entry, NULL, NULL};

    if (strcmp(argv[*i], "--help") == 0 || strcmp(argv[*i], "-h") == 0) {
        option_help(owner);
        return PROGRAM_OK;
    }
    if (entry == NULL) return refuse_unknown(owner, argv[*i]);
    if (entry->kind == OPTION_LATER) return refuse_later(owner, entry, NULL);
    at.target = (char *)values + entry->offset;
    if (entry->kind == OPTION_FLAG) {
        at.given = value;
        if (value != NULL) return refuse(&at, "no value");
        *(int *)at.target = 1;
        return OPTION_GO_ON;
    }
    if (value == NULL && *i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0 &&
        (entry->kind != OPTION_DEVICE || is_selector(argv[*i + 1])))
        value = argv[++*i];
    if (value == NULL && entry->kind != OPTION_DEVICE) {
        output_usage("weir %s: %s%s: the value is missing; expected %s%s %s (see: weir %s --help)",
                     owner->name, dashes(entry), entry->name, dashes(entry), entry->name,
                     entry->argument, owner->name);
        return PROGRAM_USAGE;
    }
    at.given = value;
    return read_value(&at);
}

int option_parse(const program_command *owner, int argc, char **argv, void *values,
                 const char **operands, size_t *operand_count)
{
    size_t count = 0;
    int is_ended = 0;

    for (int i = 1; i < argc; i++) {
        int code = OPTION_GO_ON;

        if (!is_ended && strcmp(argv[i], "--") == 0) {
            is_ended = 1;
        } else if (!is_ended && argv[i][0] == '-' && argv[i][1] != '\0') {
            code = take_option(owner, argc, argv, &i, values);
        } else if (operands == NULL || count == owner->operand_max) {
            output_usage("weir %s: unexpected argument '%s'; expected %s%s (see: weir %s --help)",
                         owner->name, argv[i],
                         owner->operand_max == 0 ? "options only" : "at most ",
                         owner->operand_max == 0 ? "" : owner->operands, owner->name);
            code = PROGRAM_USAGE;
        } else {
            operands[count++] = argv[i];
        }
        if (code != OPTION_GO_ON) return code;
    }
    if (operand_count != NULL) *operand_count = count;
    return OPTION_GO_ON;
}

#define HELP_COLUMN 24 /* where the text of an option begins */

static void print_help_lines(const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t bytes = strcspn(at, "\n");

        (void)printf("%*s%.*s\n", at == text ? 0 : HELP_COLUMN, "", (int)bytes, at);
        at += bytes + (at[bytes] == '\n' ? 1 : 0);
    }
}

void option_help(const program_command *owner)
{
    (void)printf("usage: weir %s%s%s [options]\n%s\n\n", owner->name,
                 owner->operands[0] == '\0' ? "" : " ", owner->operands, owner->summary);
    for (const program_option *each = owner->options; each->name != NULL; each++) {
        char label[64];

        if (each->kind == OPTION_LATER) continue;
        (void)snprintf(label, sizeof label, "%s%s%s%s", dashes(each), each->name,
                       each->argument == NULL ? "" : " ",
                       each->argument == NULL ? "" : each->argument);
        (void)printf("  %-20s  ", label);
        if (each->has_strategies) {
            char names[256];

            list_choices(each, names, sizeof names);
            (void)printf("%s\n%*s", names, (int)HELP_COLUMN, "");
        }
        print_help_lines(each->help);
    }
    (void)printf("  %-20s  this text\n", "--help");
    if (owner->details[0] != '\0') (void)printf("\n%s", owner->details);
}
