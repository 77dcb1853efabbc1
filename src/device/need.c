/* Needs: one row a word, with a reader of its value and a test of a record. Pure functions. */
#include "device/need.h"

#include "base/status.h"

#include <string.h>

static const char known[] =
    "fp64, fp16, full-profile, little-endian, images, address=64, min-mem=SIZE, "
    "min-alloc=SIZE, min-local=SIZE, version=1.2, ext=NAME, separated by commas";

#define NOTHING "no value"
#define SIZE "a size: bytes, or with K, M or G"

typedef struct wi_need_kind {
    const char *word;  /* with "=" if a value follows */
    const char *value; /* what follows, for a person */
    int (*parse)(const char *value, uint64_t *number);
    int (*is_met)(const wi_need *need, const weir_record *record);
    wi_property_id id;
    const char *extension;
} kind_row;

static const char *digits(const char *text, uint64_t *number)
{
    *number = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (*number > (UINT64_MAX - 9) / 10) return NULL;
        *number = *number * 10 + (uint64_t)(*text - '0');
    }
    return text;
}

static int parse_nothing(const char *value, uint64_t *number)
{
    *number = 0;
    return value[0] == '\0';
}

static int parse_number(const char *value, uint64_t *number)
{
    const char *end = digits(value, number);
    return end != NULL && end != value && *end == '\0';
}

static int parse_size(const char *value, uint64_t *number)
{
    static const struct {
        const char *unit;
        unsigned shift;
    } units[] = {{"", 0}, {"K", 10}, {"M", 20}, {"G", 30}};
    const char *end = digits(value, number);

    if (end == NULL || end == value) return 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].unit) == 0 && *number <= UINT64_MAX >> units[i].shift) {
            *number <<= units[i].shift;
            return 1;
        }
    return 0;
}

/* "1.2" as 120, as wi_version_parse() gives it. */
static int parse_version(const char *value, uint64_t *number)
{
    uint64_t major = 0;
    uint64_t minor = 0;
    const char *end = digits(value, &major);

    if (end == NULL || end == value || *end != '.' || major > 99) return 0;
    value = end + 1;
    end = digits(value, &minor);
    *number = major * 100 + minor * 10;
    return end != NULL && end == value + 1 && *end == '\0';
}

static int parse_name(const char *value, uint64_t *number)
{
    *number = 0;
    return value[0] != '\0' && strchr(value, ' ') == NULL;
}

static int extension_is_met(const weir_record *record, const char *extension)
{
    if (wi_record_get_state(record, WI_PROPERTY_EXTENSIONS) != WEIR_PROPERTY_VALUE) return -1;
    return wi_list_has(wi_record_get_text(record, WI_PROPERTY_EXTENSIONS), extension);
}

/* A configuration that is there means support; where a text leaves it out, the list of extensions tells. */
static int fp_is_met(const wi_need *need, const weir_record *record)
{
    switch (wi_record_get_state(record, need->kind->id)) {
    case WEIR_PROPERTY_VALUE:
        return 1;
    case WEIR_PROPERTY_NA:
        return 0;
    case WEIR_PROPERTY_ABSENT:
    case WEIR_PROPERTY_ERROR:
        break;
    }
    return extension_is_met(record, need->kind->extension);
}

static int at_least(const wi_need *need, const weir_record *record)
{
    if (wi_record_get_state(record, need->kind->id) != WEIR_PROPERTY_VALUE) return -1;
    return wi_record_get_number(record, need->kind->id, 0) >= need->number;
}

static int is_yes(const wi_need *need, const weir_record *record)
{
    if (wi_record_get_state(record, need->kind->id) != WEIR_PROPERTY_VALUE) return -1;
    return wi_record_get_number(record, need->kind->id, 0) != 0;
}

static int is_full(const wi_need *need, const weir_record *record)
{
    if (wi_record_get_state(record, need->kind->id) != WEIR_PROPERTY_VALUE) return -1;
    return strcmp(wi_record_get_text(record, need->kind->id), "FULL_PROFILE") == 0;
}

static int version_is_met(const wi_need *need, const weir_record *record)
{
    unsigned version = wi_version_parse(wi_record_get_text(record, need->kind->id));
    return version == 0 ? -1 : version >= need->number;
}

static int name_is_met(const wi_need *need, const weir_record *record)
{
    return extension_is_met(record, need->text + strlen(need->kind->word));
}

static const kind_row kinds[] = {
    {"fp64", NOTHING, parse_nothing, fp_is_met, WI_PROPERTY_DOUBLE_FP_CONFIG, "cl_khr_fp64"},
    {"fp16", NOTHING, parse_nothing, fp_is_met, WI_PROPERTY_HALF_FP_CONFIG, "cl_khr_fp16"},
    {"full-profile", NOTHING, parse_nothing, is_full, WI_PROPERTY_PROFILE, NULL},
    {"little-endian", NOTHING, parse_nothing, is_yes, WI_PROPERTY_ENDIAN_LITTLE, NULL},
    {"images", NOTHING, parse_nothing, is_yes, WI_PROPERTY_IMAGE_SUPPORT, NULL},
    {"address=", "a number of bits", parse_number, at_least, WI_PROPERTY_ADDRESS_BITS, NULL},
    {"min-mem=", SIZE, parse_size, at_least, WI_PROPERTY_GLOBAL_MEM_SIZE, NULL},
    {"min-alloc=", SIZE, parse_size, at_least, WI_PROPERTY_MAX_MEM_ALLOC_SIZE, NULL},
    {"min-local=", SIZE, parse_size, at_least, WI_PROPERTY_LOCAL_MEM_SIZE, NULL},
    {"version=", "a version such as 1.2", parse_version, version_is_met, WI_PROPERTY_VERSION, NULL},
    {"ext=", "the name of an extension", parse_name, name_is_met, WI_PROPERTY_EXTENSIONS, NULL},
};

/* Finds the kind and reads the value. Returns 0 if either is not known; then kind is NULL if it is the kind. */
static int parse_need(wi_need *need)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t bytes = strlen(kinds[i].word);

        if (strncmp(need->text, kinds[i].word, bytes) != 0) continue;
        if (kinds[i].word[bytes - 1] != '=' && need->text[bytes] != '\0' &&
            need->text[bytes] != '=')
            continue;
        need->kind = &kinds[i];
        return kinds[i].parse(need->text + bytes, &need->number);
    }
    return 0;
}

weir_status wi_needs_parse(const char *text, wi_needs *out)
{
    memset(out, 0, sizeof *out);
    while (text != NULL) {
        size_t bytes = strcspn(text, ",");
        wi_need *need = &out->list[out->count];

        if (out->count == WI_NEEDS_MAX)
            return wi_fail(WEIR_E_ARG, "needs", "more than %d needs", WI_NEEDS_MAX);
        if (bytes < sizeof need->text) memcpy(need->text, text, bytes);
        if (bytes < sizeof need->text && !parse_need(need) && need->kind != NULL)
            return wi_fail_hint(WEIR_E_ARG, "needs", known, "need \"%s\" takes %s", need->text,
                                need->kind->value);
        if (need->kind == NULL)
            return wi_fail_hint(WEIR_E_ARG, "needs", known, "need \"%.*s\" is not known",
                                bytes < 80 ? (int)bytes : 80, text);
        out->count++;
        text = text[bytes] == ',' ? text + bytes + 1 : NULL;
    }
    return WEIR_OK;
}

int wi_need_is_met(const wi_need *need, const weir_record *record)
{
    return need->kind->is_met(need, record);
}
