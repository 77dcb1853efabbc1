/* Selectors: a small grammar, and a choice that is a pure function of the records.
 *
 * The forms are rows: a prefix, a parser of what follows it, and a test of one record. Choosing walks the records once
 * and keeps the best by (class, platform, device), so ties need no rule of their own. No state.
 */
#include "device/selector.h"

#include "base/status.h"
#include "device/class.h"
#include "device/match.h"

#include <string.h>

static const char forms[] =
    "one of: 0.1 (platform.device), pci=0000:01:00.0, uuid=32 hex digits, name~part of the "
    "name, type=gpu|cpu|accelerator";

/* Reads up to 9 digits, which `end` must follow; steps past it. */
static int number_field(const char **text, char end, unsigned *out)
{
    unsigned count = 0;

    *out = 0;
    for (; count < 9 && **text >= '0' && **text <= '9'; count++)
        *out = *out * 10 + (unsigned)(*(*text)++ - '0');
    if (count == 0 || **text != end) return 0;
    if (end != '\0') (*text)++;
    return 1;
}

static int parse_index(const char *text, wi_selector *out)
{
    if (!number_field(&text, '.', &out->platform)) return 0;
    out->has_logical = strchr(text, ':') != NULL;
    return number_field(&text, out->has_logical ? ':' : '\0', &out->device) &&
           (!out->has_logical || number_field(&text, '\0', &out->logical));
}

static int parse_pci(const char *text, wi_selector *out) { return wi_pci_parse(text, &out->pci); }

static int parse_uuid(const char *text, wi_selector *out) { return wi_uuid_parse(text, out->uuid); }

static int parse_name(const char *text, wi_selector *out)
{
    out->text = text;
    return text[0] != '\0';
}

static int parse_type(const char *text, wi_selector *out)
{
    static const wi_name types[] = {{4, "gpu"}, {2, "cpu"}, {8, "accelerator"}, {0, NULL}};

    for (size_t i = 0; types[i].name != NULL; i++)
        if (strcmp(text, types[i].name) == 0) out->type = types[i].value;
    return out->type != 0;
}

static int matches_best(const wi_selector *s, const weir_record *record)
{
    (void)s;
    (void)record;
    return 1;
}

static int matches_index(const wi_selector *s, const weir_record *record)
{
    return s->platform == wi_record_get_platform_index(record) &&
           s->device == wi_record_get_device_index(record);
}

static int matches_pci(const wi_selector *s, const weir_record *record)
{
    wi_pci pci;

    return wi_record_get_pci(record, &pci) && wi_pci_equal(&pci, &s->pci);
}

static int matches_uuid(const wi_selector *s, const weir_record *record)
{
    char digits[WI_UUID_DIGITS + 1];

    return wi_uuid_parse(wi_record_get_text(record, WI_PROPERTY_UUID_KHR), digits) &&
           strcmp(digits, s->uuid) == 0;
}

static int matches_name(const wi_selector *s, const weir_record *record)
{
    return wi_text_contains(wi_record_get_text(record, WI_PROPERTY_NAME), s->text) ||
           wi_text_contains(wi_record_get_text(record, WI_PROPERTY_BOARD_NAME_AMD), s->text);
}

static int matches_type(const wi_selector *s, const weir_record *record)
{
    return (wi_record_get_number(record, WI_PROPERTY_TYPE, 0) & s->type) != 0;
}

/* One form. Rows stand in the order of wi_selector_kind; a prefix "" takes what no other prefix fits. */
static const struct {
    const char *prefix;
    int (*parse)(const char *text, wi_selector *out);
    int (*matches)(const wi_selector *selector, const weir_record *record);
    int asks_any_class; /* takes accelerators and emulators too */
    int takes_unusable;
} kinds[] = {
    {NULL, NULL, matches_best, 0, 0},          {"", parse_index, matches_index, 1, 1},
    {"pci=", parse_pci, matches_pci, 1, 1},    {"uuid=", parse_uuid, matches_uuid, 1, 1},
    {"name~", parse_name, matches_name, 1, 0}, {"type=", parse_type, matches_type, 0, 0},
};

weir_status wi_selector_parse(const char *text, wi_selector *out)
{
    size_t kind = WI_SELECT_INDEX;

    memset(out, 0, sizeof *out);
    if (text == NULL) return WEIR_OK;
    for (size_t i = WI_SELECT_PCI; i <= WI_SELECT_TYPE; i++)
        if (strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) kind = i;

    out->kind = (wi_selector_kind)kind;
    if (kinds[kind].parse(text + strlen(kinds[kind].prefix), out)) return WEIR_OK;
    memset(out, 0, sizeof *out);
    return wi_fail_hint(WEIR_E_ARG, "device selector", forms, "\"%.100s\" names no device", text);
}

int wi_selector_matches(const wi_selector *selector, const weir_record *record)
{
    return kinds[selector->kind].matches(selector, record);
}

int wi_selector_names(const wi_selector *selector) { return kinds[selector->kind].asks_any_class; }

int wi_selector_takes_unusable(const wi_selector *selector)
{
    return kinds[selector->kind].takes_unusable;
}

/* 1 if record a goes before record b. */
static int goes_before(const weir_record *a, const weir_record *b)
{
    int a_unusable = wi_record_unusable(a) != NULL;
    int b_unusable = wi_record_unusable(b) != NULL;
    weir_device_class a_class = wi_record_class(a, NULL);
    weir_device_class b_class = wi_record_class(b, NULL);

    if (a_unusable != b_unusable) return b_unusable;
    if (a_class != b_class) return a_class < b_class;
    if (wi_record_get_platform_index(a) != wi_record_get_platform_index(b))
        return wi_record_get_platform_index(a) < wi_record_get_platform_index(b);
    return wi_record_get_device_index(a) < wi_record_get_device_index(b);
}

size_t wi_selector_choose(const wi_selector *selector, const weir_record *const *records,
                          size_t count)
{
    size_t best = count;

    for (size_t i = 0; i < count; i++) {
        if (!kinds[selector->kind].matches(selector, records[i])) continue;
        if (!kinds[selector->kind].asks_any_class &&
            wi_class_must_be_asked(wi_record_class(records[i], NULL)))
            continue;
        if (!kinds[selector->kind].takes_unusable && wi_record_unusable(records[i]) != NULL)
            continue;
        if (best == count || goes_before(records[i], records[best])) best = i;
    }
    return best;
}

void wi_selector_list(const weir_record *const *records, size_t count, const char *separator,
                      weir_text *text)
{
    for (size_t i = 0; i < count; i++) {
        weir_device_class device_class = wi_record_class(records[i], NULL);
        const char *name = wi_record_get_text(records[i], WI_PROPERTY_NAME);
        const char *unusable = wi_record_unusable(records[i]);

        weir_text_append(text, "%s%s %s %s (%s)", i == 0 ? "" : separator,
                         wi_record_get_index(records[i]), weir_device_class_name(device_class),
                         name, wi_record_get_text(records[i], WI_PROPERTY_PLATFORM_NAME));
        if (unusable != NULL) weir_text_append(text, ", %s", unusable);
        if (wi_class_must_be_asked(device_class))
            weir_text_append(text, ", only if named by index, pci, uuid or name");
    }
}
