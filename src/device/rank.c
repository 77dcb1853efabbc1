/* Ranking.
 *
 * Weights are steps: a term counts only between devices that are equal in all terms above it, but for the memory and
 * what follows, which are small change. Units times clock says something within one maker only (AMD counts pairs of
 * units, mobile drivers report 9999); memory counts in doublings, so that a rounded size decides nothing. Pure functions.
 */
#include "device/rank.h"

#include "device/class.h"
#include "device/match.h"
#include "device/quirk.h"

#include <math.h>
#include <string.h>

#define UNITS_MAX 1024U                  /* more is no count of units */
#define CLOCK_MIN 2U                     /* MHz; drivers that do not know say 0 or 1 */
#define MEMORY_MIN ((uint64_t)512 << 20) /* no card with OpenCL 1.2 has less */

static double class_value(const weir_record *record, int is_one_maker)
{
    (void)is_one_maker;
    return (double)WEIR_DEVICE_EMULATOR - (double)wi_record_class(record, NULL);
}

static double sound_value(const weir_record *record, int is_one_maker)
{
    wi_doubts doubts;

    (void)is_one_maker;
    wi_doubts_find(record, &doubts);
    return !doubts.is_unsound;
}

static double speed_value(const weir_record *record, int is_one_maker)
{
    uint64_t units = wi_record_get_number(record, WI_PROPERTY_MAX_COMPUTE_UNITS, 0);
    uint64_t clock = wi_record_get_number(record, WI_PROPERTY_MAX_CLOCK_FREQUENCY, 0);

    if (!is_one_maker || units == 0 || units > UNITS_MAX || clock < CLOCK_MIN || clock > 100000)
        return 0;
    return log2((double)units * (double)clock);
}

static double memory_value(const weir_record *record, int is_one_maker)
{
    uint64_t bytes = wi_record_get_number(record, WI_PROPERTY_GLOBAL_MEM_SIZE, 0);

    (void)is_one_maker;
    /* 15.98 GiB is a card of 16. */
    return bytes < (1U << 20) ? 0 : floor(log2((double)bytes / (1U << 20)) + 0.1);
}

static double fp_value(const weir_record *record, wi_property_id id, const char *extension)
{
    return wi_record_get_state(record, id) == WEIR_PROPERTY_VALUE ||
           wi_list_has(wi_record_get_text(record, WI_PROPERTY_EXTENSIONS), extension);
}

static double fp64_value(const weir_record *record, int is_one_maker)
{
    (void)is_one_maker;
    return fp_value(record, WI_PROPERTY_DOUBLE_FP_CONFIG, "cl_khr_fp64");
}

static double fp16_value(const weir_record *record, int is_one_maker)
{
    (void)is_one_maker;
    return fp_value(record, WI_PROPERTY_HALF_FP_CONFIG, "cl_khr_fp16");
}

static double version_value(const weir_record *record, int is_one_maker)
{
    (void)is_one_maker;
    return wi_version_parse(wi_record_get_text(record, WI_PROPERTY_VERSION)) / 100.0;
}

int wi_rank_driver(const weir_record *record)
{
    static const struct {
        const char *word;
        int value;
    } rows[] = {{"Clover", 0},
                {"Beignet", 0},
                {"Gen OCL Driver", 0},
                {"Portable Computing Language", 1},
                {"rusticl", 2}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (wi_record_matches(record, WI_MATCH_PLATFORM, rows[i].word)) return rows[i].value;
    return 3;
}

static double driver_value(const weir_record *record, int is_one_maker)
{
    (void)is_one_maker;
    return wi_rank_driver(record);
}

static const struct {
    const char *name;
    double weight;
    double (*value)(const weir_record *record, int is_one_maker);
    const char *meaning;
} terms[WI_TERMS] = {
    {"class", 1e7, class_value,
     "discrete 5, integrated 4, cpu 3, software 2, accelerator 1, emulator 0"},
    {"sound", 1e6, sound_value, "1: nothing in the record is absurd or broken"},
    {"speed", 1e4, speed_value,
     "log2 of units x MHz; 0: unknown, or makers differ and it cannot be compared"},
    {"memory", 100, memory_value, "doublings above 1 MiB; 0: unknown"},
    {"fp64", 30, fp64_value, "1: 64-bit floating point"},
    {"driver", 10, driver_value, "its maker's 3, rusticl 2, PoCL 1, Clover 0"},
    {"fp16", 5, fp16_value, "1: 16-bit floating point"},
    {"version", 1, version_value, "of OpenCL"},
};

void wi_rank_values(const weir_record *record, int is_one_maker, double values[WI_TERMS])
{
    for (size_t i = 0; i < WI_TERMS; i++) values[i] = terms[i].value(record, is_one_maker);
}

const char *wi_rank_name(size_t i) { return terms[i].name; }
double wi_rank_weight(size_t i) { return terms[i].weight; }
const char *wi_rank_meaning(size_t i) { return terms[i].meaning; }

static int has_broken_compiler(const weir_record *record)
{
    return wi_record_get_state(record, WI_PROPERTY_BUILD_LOG) == WEIR_PROPERTY_VALUE ||
           wi_record_get_state(record, WI_PROPERTY_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) ==
               WEIR_PROPERTY_ERROR;
}

static int is_embedded(const weir_record *record)
{
    return strcmp(wi_record_get_text(record, WI_PROPERTY_PROFILE), "EMBEDDED_PROFILE") == 0;
}

/* The size in a name such as "V100-SXM2-16GB", in bytes; 0 if there is none. */
static uint64_t size_in_name(const char *name)
{
    for (const char *at = strstr(name, "GB"); at != NULL; at = strstr(at + 2, "GB")) {
        uint64_t size = 0;
        uint64_t place = 1;

        for (const char *d = at; d > name && d[-1] >= '0' && d[-1] <= '9' && place < 10000; d--) {
            size += place * (uint64_t)(d[-1] - '0');
            place *= 10;
        }
        if (size > 0) return size << 30;
    }
    return 0;
}

static int has_little_memory(const weir_record *record)
{
    uint64_t bytes = wi_record_get_number(record, WI_PROPERTY_GLOBAL_MEM_SIZE, UINT64_MAX);
    uint64_t named = size_in_name(wi_record_get_text(record, WI_PROPERTY_NAME));

    if (wi_record_class(record, NULL) != WEIR_DEVICE_DISCRETE || bytes == UINT64_MAX) return 0;
    if (named > 0 && bytes < named / 2) return 1;
    return bytes < MEMORY_MIN &&
           wi_version_parse(wi_record_get_text(record, WI_PROPERTY_VERSION)) >= 120;
}

static int has_odd_memory(const weir_record *record)
{
    uint64_t all = wi_record_get_number(record, WI_PROPERTY_GLOBAL_MEM_SIZE, UINT64_MAX);
    uint64_t one = wi_record_get_number(record, WI_PROPERTY_MAX_MEM_ALLOC_SIZE, 0);

    return all == 0 || one > all || (all != UINT64_MAX && all > (uint64_t)1 << 50);
}

static int has_odd_units(const weir_record *record)
{
    uint64_t units = wi_record_get_number(record, WI_PROPERTY_MAX_COMPUTE_UNITS, 1);
    return units == 0 || units > UNITS_MAX;
}

static int has_odd_clock(const weir_record *record)
{
    return wi_record_get_number(record, WI_PROPERTY_MAX_CLOCK_FREQUENCY, CLOCK_MIN) < CLOCK_MIN;
}

static int has_watchdog(const weir_record *record)
{
    return wi_record_get_number(record, WI_PROPERTY_KERNEL_EXEC_TIMEOUT_NV, 0) == 1;
}

static int is_old(const weir_record *record)
{
    unsigned version = wi_version_parse(wi_record_get_text(record, WI_PROPERTY_VERSION));
    return version > 0 && version < 120;
}

static const struct {
    int (*is_so)(const weir_record *record);
    int is_unsound;
    const char *text;
} doubts[] = {
    {has_broken_compiler, 1,
     "its driver could not build a kernel: nothing will run until that is mended"},
    {is_embedded, 1, "embedded profile: limits may be lower and rounding looser"},
    {has_little_memory, 1,
     "the memory size is implausible for such a card (no resizable BAR, or the wrong driver?)"},
    {has_odd_memory, 1, "the memory sizes are absurd"},
    {has_odd_units, 0, "the number of compute units is absurd and is not compared"},
    {has_odd_clock, 0, "the clock is unknown (0 or 1 MHz)"},
    {has_watchdog, 0, "a watchdog kills kernels that run for seconds"},
    {is_old, 0, "older than OpenCL 1.2, which weir needs"},
};

void wi_doubts_find(const weir_record *record, wi_doubts *out)
{
    const wi_quirk *quirk = NULL;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; (quirk = wi_quirk_at(i)) != NULL && out->count < WI_DOUBTS_MAX; i++) {
        if (quirk->effect != WI_QUIRK_UNSOUND || !wi_quirk_applies(quirk, record)) continue;
        out->is_unsound = 1;
        out->texts[out->count++] = quirk->reason;
    }
    for (size_t i = 0; i < sizeof doubts / sizeof doubts[0] && out->count < WI_DOUBTS_MAX; i++) {
        if (!doubts[i].is_so(record)) continue;
        out->is_unsound |= doubts[i].is_unsound;
        out->texts[out->count++] = doubts[i].text;
    }
}
