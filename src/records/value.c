/* Reading values. Each kind of property has one reader in a table; none of them guesses: what does not fit is refused,
 * and the caller says so. No state. */
#include "records/value.h"

#include <string.h>

#define TOKEN_BYTES 64
#define UUID_TEXT_BYTES 36

/* Words of clinfo's human output and of AMD's program that are not the names of OpenCL's constants. */
static const struct {
    const char *word;
    const char *name;
} words[] = {
    {"read_write", "read_write_cache"},
    {"read_only", "read_only_cache"},
    {"scratchpad", "local"},
    {"relaxed", "order_relaxed"},
    {"acquire_release", "order_acq_rel"},
    {"sequentially_consistent", "order_seq_cst"},
    {"work_item_scope", "scope_work_item"},
    {"work_group_scope", "scope_work_group"},
    {"device_scope", "scope_device"},
    {"all_devices_scope", "scope_all_devices"},
    {"replaceable_default_queue", "replaceable_default"},
};

int wi_value_is_na(wi_span value) { return wi_span_is(value, "(n/a)") || wi_span_is(value, "n/a"); }

int wi_value_error(wi_span value, int *code)
{
    wi_span rest = wi_span_skip(value, wi_span_find(value, "error -"));
    uint64_t number = 0;

    rest = wi_span_skip(rest, sizeof "error -" - 1);
    if (!wi_span_number(&rest, &number) || number == 0 || number > 100000) return 0;
    /* The text may end inside the number, or a digit be damaged. */
    if (rest.bytes == 0 || rest.at[0] == '\0' || strchr(">) ,", rest.at[0]) == NULL) return 0;
    *code = -(int)number;
    return 1;
}

int wi_value_yes(wi_span value, int *out)
{
    static const char *const texts[2][4] = {{"No", "0", "CL_FALSE", "false"},
                                            {"Yes", "1", "CL_TRUE", "true"}};

    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < 4; k++)
            if (wi_span_is(value, texts[i][k])) {
                *out = i;
                return 1;
            }
    return 0;
}

/* A number, and behind it nothing, a blank, or a unit. "7.5" is not a number, nor is "1024x64". */
static int read_number(wi_span value, uint64_t *out)
{
    wi_span rest = value;
    size_t hex = 0;

    while (hex < value.bytes && strchr("0123456789abcdefABCDEF", value.at[hex]) != NULL) hex++;
    if (hex > 0 && hex <= 16 && hex + 1 == value.bytes && value.at[hex] == 'h') {
        /* AMD's program writes 1002h. */
        *out = 0;
        for (size_t i = 0; i < hex; i++) {
            char digit[3] = {'0', 'x', value.at[i]};
            wi_span one = {digit, sizeof digit};
            uint64_t part = 0;
            if (value.at[i] == '\0' || !wi_span_number(&one, &part)) return 0;
            *out = *out << 4 | part;
        }
        return 1;
    }
    if (!wi_span_number(&rest, out)) return 0;
    if (rest.bytes == 0 || rest.at[0] == ' ' || rest.at[0] == '\t') return 1;
    return strchr("MmGKknb(", rest.at[0]) != NULL && rest.at[0] != '\0';
}

size_t wi_value_numbers(wi_span value, uint64_t *out, size_t max)
{
    size_t count = 0;

    while (value.bytes > 0) {
        char c = value.at[0];

        if (c == ' ' || c == '\t' || c == ',' || c == 'x') {
            value = wi_span_skip(value, 1);
        } else if (c == '(') {
            value = wi_span_skip(value, wi_span_find_byte(value, ')') + 1);
        } else if (count < max && wi_span_number(&value, &out[count])) {
            count++;
        } else {
            return 0;
        }
    }
    return count;
}

static int hex_field(wi_span *span, uint64_t *out)
{
    size_t used = 0;

    *out = 0;
    for (; used < span->bytes && used < 8; used++) {
        static const char digits[] = "0123456789abcdef";
        char c = span->at[used];
        const char *found = NULL;

        if (c >= 'A' && c <= 'F') c = (char)(c - 'A' + 'a');
        found = c != '\0' ? strchr(digits, c) : NULL;
        if (found == NULL) break;
        *out = *out * 16 + (uint64_t)(found - digits);
    }
    *span = wi_span_skip(*span, used);
    return used > 0;
}

/* PCI[ B#1, D#0, F#0 ] */
static int read_pci_brackets(wi_span value, uint64_t out[4])
{
    static const char *const names[] = {"B#", "D#", "F#"};

    out[0] = 0;
    for (size_t i = 0; i < 3; i++) {
        wi_span field = wi_span_skip(value, wi_span_find(value, names[i]) + 2);
        if (!wi_span_number(&field, &out[i + 1])) return 0;
        if (!wi_span_starts(field, i < 2 ? "," : " ")) return 0;
    }
    return out[1] < 256 && out[2] < 32 && out[3] < 8;
}

int wi_value_pci(wi_span value, uint64_t out[4])
{
    uint64_t fields[4] = {0};
    size_t count = 0;
    char separator = ':';

    if (wi_span_starts(value, "PCI[")) return read_pci_brackets(value, out);
    if (wi_span_starts(value, "PCI-E,")) value = wi_span_trim(wi_span_skip(value, 6));
    while (count < 4 && hex_field(&value, &fields[count])) {
        count++;
        if (value.bytes == 0) break;
        if (value.at[0] != ':' && value.at[0] != '.') return 0;
        separator = value.at[0];
        value = wi_span_skip(value, 1);
        if (value.bytes == 0) return 0;
    }
    if (value.bytes != 0 || separator != '.' || count < 3) return 0;
    memset(out, 0, 4 * sizeof *out);
    for (size_t i = 0; i < count; i++) out[4 - count + i] = fields[i];
    if (out[1] > 255 || out[2] > 31 || out[3] > 7) return 0;
    return count == 4 ? 2 : 1;
}

/* Lower case, and an underscore for everything that is neither letter nor digit. */
static void normalise(wi_span token, char out[TOKEN_BYTES])
{
    size_t count = token.bytes < TOKEN_BYTES - 1 ? token.bytes : TOKEN_BYTES - 1;

    for (size_t i = 0; i < count; i++) {
        char c = token.at[i];
        int is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');

        if (c >= 'A' && c <= 'Z')
            out[i] = (char)(c - 'A' + 'a');
        else
            out[i] = (char)(is_word ? c : '_');
    }
    out[count] = '\0';
}

/* 1 if `token` is `name`, or an OpenCL constant that ends with it: cl_fp_denorm, cl_queue_profiling_enable. */
static int is_constant(const char *token, const char *name)
{
    size_t token_bytes = strlen(token);
    size_t name_bytes = strlen(name);
    static const char end[] = "_enable";
    size_t end_bytes = sizeof end - 1;

    if (strcmp(token, name) == 0) return 1;
    if (strncmp(token, "cl_", 3) != 0) return 0;
    if (token_bytes > end_bytes && strcmp(token + token_bytes - end_bytes, end) == 0)
        token_bytes -= end_bytes;
    return token_bytes > name_bytes && token[token_bytes - name_bytes - 1] == '_' &&
           memcmp(token + token_bytes - name_bytes, name, name_bytes) == 0;
}

/* Finds the longest name of the table that a word means; NULL if none. */
static const wi_name *find_name(wi_span word, wi_property_id id)
{
    const wi_name *best = NULL;
    char token[TOKEN_BYTES];
    const char *name = token;

    if (word.bytes >= TOKEN_BYTES || !wi_span_is_plain(word)) return NULL;
    normalise(word, token);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(token, words[i].word) == 0) name = words[i].name;
    for (const wi_name *each = wi_property_row_at(id)->names; each != NULL && each->name != NULL;
         each++)
        if (is_constant(name, each->name) &&
            (best == NULL || strlen(each->name) > strlen(best->name)))
            best = each;
    return best;
}

int wi_value_flags(wi_span value, wi_property_id id, uint64_t *bits)
{
    *bits = 0;
    if (wi_span_is(value, "CL_NONE") || wi_span_is(value, "None")) return 1;
    while (value.bytes > 0) {
        size_t comma = wi_span_find_byte(value, ',');
        size_t bar = wi_span_find_byte(value, '|');
        size_t end = comma < bar ? comma : bar;
        wi_span word = {value.at, end};
        const wi_name *name = NULL;
        uint64_t number = 0;

        word = wi_span_trim(word);
        value = wi_span_skip(value, end + 1);
        if (word.bytes == 0) continue;
        name = find_name(word, id);
        if (name != NULL)
            *bits |= name->value;
        else if (wi_span_number(&word, &number) && word.bytes == 0)
            *bits |= number;
        else
            return 0;
    }
    return 1;
}

static wi_outcome set_text(weir_record *record, wi_property_id id, wi_span value)
{
    return weir_record_set_text(record, id, value.at, value.bytes) == WEIR_OK ? WI_TAKEN
                                                                              : WI_NO_MEMORY;
}

static wi_outcome set_choice(weir_record *record, wi_property_id id, wi_span value)
{
    const wi_name *name = find_name(value, id);
    wi_span rest = value;
    uint64_t number = 0;

    if (name != NULL) return set_text(record, id, wi_span_of(name->name));
    /* A value that this build has no name for, as our own JSON shows it. */
    if (wi_span_number(&rest, &number) && rest.bytes == 0) return set_text(record, id, value);
    return WI_REFUSED;
}

/* Hexadecimal digits and dashes, as long as a UUID or an LUID. */
static wi_outcome set_uuid(weir_record *record, wi_property_id id, wi_span value)
{
    char lower[UUID_TEXT_BYTES];

    if (value.bytes != UUID_TEXT_BYTES && value.bytes != 17) return WI_REFUSED;
    for (size_t i = 0; i < value.bytes; i++) {
        wi_span digit = {value.at + i, 1};
        uint64_t number = 0;

        if (value.at[i] != '-' && !hex_field(&digit, &number)) return WI_REFUSED;
        lower[i] = value.at[i];
        if (lower[i] >= 'A' && lower[i] <= 'F') lower[i] = (char)(lower[i] - 'A' + 'a');
    }
    value.at = lower;
    return set_text(record, id, value);
}

static wi_outcome set_number(weir_record *record, wi_property_id id, wi_span value)
{
    uint64_t number = 0;

    if (!read_number(value, &number)) return WI_REFUSED;
    weir_record_set_number(record, id, number);
    return WI_TAKEN;
}

static wi_outcome set_yes(weir_record *record, wi_property_id id, wi_span value)
{
    int yes = 0;

    if (!wi_value_yes(value, &yes)) return WI_REFUSED;
    weir_record_set_number(record, id, (uint64_t)yes);
    return WI_TAKEN;
}

static wi_outcome set_flags(weir_record *record, wi_property_id id, wi_span value)
{
    uint64_t bits = 0;

    if (!wi_value_flags(value, id, &bits)) return WI_REFUSED;
    weir_record_set_number(record, id, bits);
    return WI_TAKEN;
}

static wi_outcome set_numbers(weir_record *record, wi_property_id id, wi_span value)
{
    uint64_t numbers[8];
    size_t count = wi_value_numbers(value, numbers, 8);

    if (count == 0) return WI_REFUSED;
    weir_record_set_numbers(record, id, numbers, count);
    return WI_TAKEN;
}

static wi_outcome set_pci(weir_record *record, wi_property_id id, wi_span value)
{
    uint64_t fields[4];
    int is_topology = wi_property_row_at(id)->wire == WI_WIRE_TOPOLOGY;

    if (!wi_value_pci(value, fields)) return set_numbers(record, id, value);
    weir_record_set_numbers(record, id, is_topology ? fields + 1 : fields, is_topology ? 3 : 4);
    return WI_TAKEN;
}

wi_outcome wi_value_set(weir_record *record, wi_property_id id, wi_span value)
{
    static wi_outcome (*const by_wire[])(weir_record *, wi_property_id, wi_span) = {
        [WI_WIRE_TEXT] = set_text,       [WI_WIRE_NUMBER] = set_number,
        [WI_WIRE_BOOL] = set_yes,        [WI_WIRE_FLAGS] = set_flags,
        [WI_WIRE_FP_CONFIG] = set_flags, [WI_WIRE_CHOICE] = set_choice,
        [WI_WIRE_SIZES] = set_numbers,   [WI_WIRE_WORDS] = set_pci,
        [WI_WIRE_TOPOLOGY] = set_pci,    [WI_WIRE_UUID] = set_uuid,
    };
    wi_wire wire = wi_property_row_at(id)->wire;
    int code = 0;

    value = wi_span_trim(value);
    if (wi_span_starts(value, "<") && wi_value_error(value, &code)) {
        weir_record_set_error(record, id, code);
        return WI_TAKEN;
    }
    if (wi_value_is_na(value)) {
        if (wire == WI_WIRE_TEXT) return set_text(record, id, wi_span_of(""));
        if (wire == WI_WIRE_FLAGS)
            weir_record_set_number(record, id, 0);
        else
            weir_record_set_na(record, id);
        return WI_TAKEN;
    }
    return by_wire[wire](record, id, value);
}
