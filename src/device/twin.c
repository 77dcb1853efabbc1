/* Twins.
 *
 * A PCI address with its domain settles it, both ways. Without a domain it may be another card at the same bus of another
 * domain, so maker and memory must agree too. A UUID settles it one way only: drivers lay the same bytes out differently.
 * Names come last, since two equal cards have equal names: only platforms with as many such devices are taken for two
 * views of the same set, and then the first is the first. Pure functions.
 */
#include "device/twin.h"

#include "device/class.h"
#include "device/identity.h"
#include "device/match.h"

#include <string.h>

#define NAME_BYTES 128

wi_maker wi_record_maker(const weir_record *record)
{
    static const struct {
        uint64_t id;
        wi_maker maker;
    } ids[] = {{0x10de, WI_MAKER_NVIDIA}, {0x1002, WI_MAKER_AMD},      {0x8086, WI_MAKER_INTEL},
               {0x13b5, WI_MAKER_ARM},    {0x5143, WI_MAKER_QUALCOMM}, {0x106b, WI_MAKER_APPLE}};
    static const struct {
        const char *word;
        wi_maker maker;
    } words[] = {
        {"NVIDIA", WI_MAKER_NVIDIA},
        {"GeForce", WI_MAKER_NVIDIA},
        {"Quadro", WI_MAKER_NVIDIA},
        {"Tesla", WI_MAKER_NVIDIA},
        {"TITAN", WI_MAKER_NVIDIA},
        {"AMD", WI_MAKER_AMD},
        {"Advanced Micro Devices", WI_MAKER_AMD},
        {"Radeon", WI_MAKER_AMD},
        {"Intel", WI_MAKER_INTEL},
        {"Intel(R)", WI_MAKER_INTEL},
        {"Mali", WI_MAKER_ARM},
        {"ARM", WI_MAKER_ARM},
        {"Qualcomm", WI_MAKER_QUALCOMM},
        {"Adreno", WI_MAKER_QUALCOMM},
        {"Apple", WI_MAKER_APPLE},
    };
    uint64_t id = wi_record_get_number(record, WI_PROPERTY_VENDOR_ID, 0);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (wi_record_matches(record, WI_MATCH_NAME, words[i].word)) return words[i].maker;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (ids[i].id == id) return ids[i].maker;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (wi_record_matches(record, WI_MATCH_VENDOR, words[i].word) ||
            wi_record_matches(record, WI_MATCH_PLATFORM, words[i].word))
            return words[i].maker;
    return wi_record_get_text(record, WI_PROPERTY_VENDOR)[0] != '\0' ? WI_MAKER_OTHER
                                                                     : WI_MAKER_UNKNOWN;
}

/* Words that one driver puts into a name and another leaves out. */
static const char *const decorations[] = {"(r)",     "(tm)",     "nvidia ",  "intel ", "amd ",
                                          "radeon ", "graphics", "pthread-", "cpu "};

static void erase(char *text, const char *part)
{
    for (char *at = strstr(text, part); at != NULL; at = strstr(at, part))
        memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

/* A name in lower case, without decorations, blanks, and what stands in brackets or behind a colon. */
static void normalise(const weir_record *record, char out[NAME_BYTES])
{
    const char *name = wi_record_get_text(record, WI_PROPERTY_NAME);
    size_t used = 0;

    for (; *name != '\0' && *name != ':' && used + 1 < NAME_BYTES; name++) {
        if (*name == '(' && name[1] != 'R' && name[1] != 'T') break;
        out[used++] = (char)(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name);
    }
    out[used] = '\0';
    for (size_t i = 0; i < sizeof decorations / sizeof decorations[0]; i++)
        erase(out, decorations[i]);
    erase(out, " ");
}

/* 1 unless both say how much memory there is, and it differs by more than 2 %. */
static int memory_may_be_same(const weir_record *a, const weir_record *b)
{
    uint64_t x = wi_record_get_number(a, WI_PROPERTY_GLOBAL_MEM_SIZE, 0);
    uint64_t y = wi_record_get_number(b, WI_PROPERTY_GLOBAL_MEM_SIZE, 0);
    uint64_t larger = x > y ? x : y;

    return x == 0 || y == 0 || larger - (x > y ? y : x) <= larger / 50;
}

static int is_alike(const weir_record *a, const weir_record *b)
{
    char x[NAME_BYTES];
    char y[NAME_BYTES];

    if (wi_record_maker(a) != wi_record_maker(b) || !memory_may_be_same(a, b)) return 0;
    normalise(a, x);
    normalise(b, y);
    return x[0] != '\0' && strcmp(x, y) == 0;
}

/* How many devices like `like` the platform of `of` has, up to and with `of`, and in all. */
static void count_alike(const weir_record *const *records, size_t count, size_t of,
                        const weir_record *like, size_t *place, size_t *all)
{
    *place = 0;
    *all = 0;
    for (size_t i = 0; i < count; i++) {
        if (wi_record_get_platform_index(records[i]) != wi_record_get_platform_index(records[of]) ||
            !is_alike(records[i], like))
            continue;
        ++*all;
        if (i == of) *place = *all;
    }
}

static int is_name_twin(const weir_record *const *records, size_t count, size_t i, size_t j)
{
    size_t i_place = 0;
    size_t i_all = 0;
    size_t j_place = 0;
    size_t j_all = 0;

    if (!is_alike(records[i], records[j])) return 0;
    count_alike(records, count, i, records[i], &i_place, &i_all);
    count_alike(records, count, j, records[i], &j_place, &j_all);
    return i_all == j_all && i_place == j_place;
}

/* PoCL puts its own words before the brand of a processor, with a dash between: a brand may be short ("AMD EPYC"). */
static int is_same_processor(const weir_record *a, const weir_record *b)
{
    char x[NAME_BYTES];
    char y[NAME_BYTES];
    size_t x_bytes = 0;
    size_t y_bytes = 0;
    const char *longer = x;
    const char *shorter = y;

    normalise(a, x);
    normalise(b, y);
    x_bytes = strlen(x);
    y_bytes = strlen(y);
    if (x_bytes < y_bytes) {
        longer = y;
        shorter = x;
    }
    if (strlen(shorter) < 3) return 0;
    longer += strlen(longer) - strlen(shorter);
    if (strcmp(longer, shorter) != 0) return 0;
    return strlen(shorter) >= 6 || x_bytes == y_bytes || longer[-1] == '-';
}

wi_twin wi_twin_of(const weir_record *const *records, size_t count, size_t i, size_t j)
{
    const weir_record *a = records[i];
    const weir_record *b = records[j];
    weir_device_class a_class = wi_record_class(a, NULL);
    weir_device_class b_class = wi_record_class(b, NULL);
    char a_uuid[WI_UUID_DIGITS + 1];
    char b_uuid[WI_UUID_DIGITS + 1];
    wi_pci x;
    wi_pci y;

    if (wi_record_get_platform_index(a) == wi_record_get_platform_index(b)) return WI_TWIN_NONE;
    if (a_class == WEIR_DEVICE_CPU && b_class == WEIR_DEVICE_CPU)
        return is_same_processor(a, b) ? WI_TWIN_CPU : WI_TWIN_NONE;
    if (a_class == WEIR_DEVICE_CPU || b_class == WEIR_DEVICE_CPU) return WI_TWIN_NONE;
    if (wi_record_get_pci(a, &x) && wi_record_get_pci(b, &y)) {
        if (!wi_pci_equal(&x, &y) && (x.has_domain == y.has_domain || x.bus != y.bus ||
                                      x.device != y.device || x.function != y.function))
            return WI_TWIN_NONE;
        if (x.has_domain && y.has_domain) return WI_TWIN_PCI;
        return wi_record_maker(a) == wi_record_maker(b) && memory_may_be_same(a, b) ? WI_TWIN_PCI
                                                                                    : WI_TWIN_NONE;
    }
    if (wi_uuid_parse(wi_record_get_text(a, WI_PROPERTY_UUID_KHR), a_uuid) &&
        wi_uuid_parse(wi_record_get_text(b, WI_PROPERTY_UUID_KHR), b_uuid) &&
        strcmp(a_uuid, b_uuid) == 0 && strspn(a_uuid, "0") < WI_UUID_DIGITS)
        return WI_TWIN_UUID;
    return is_name_twin(records, count, i, j) ? WI_TWIN_NAME : WI_TWIN_NONE;
}

const char *wi_twin_text(wi_twin twin)
{
    static const char *const texts[] = {"", "the same PCI address", "the same UUID",
                                        "the same maker, name and memory", "the same processor"};
    return texts[twin];
}
