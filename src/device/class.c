/* Classes: simulators and software GPUs by name, then the driver's type, then integrated against discrete.
 *
 * Drivers type Oclgrind and llvmpipe as CPU and Intel's FPGA emulation as accelerator, so names come first. A GPU is
 * integrated if it says that it shares the host's memory. Some APUs say that they do not, and records from texts may
 * not tell, so a table of names decides for those; anything else is discrete. Pure functions, no state.
 */
#include "device/class.h"

#include "device/match.h"
#include "device/quirk.h"

#include <stdlib.h>
#include <string.h>

enum { TYPE_CPU = 2, TYPE_GPU = 4, TYPE_ACCELERATOR = 8, TYPE_CUSTOM = 16 };

/* When a row of the table below counts. */
typedef enum when {
    ALWAYS,   /* whatever the driver says */
    GPU,      /* type GPU or no type; also where the driver denies unified memory */
    UNSTATED, /* as GPU, but only where nothing is said of unified memory */
    TYPELESS  /* only where nothing is said of the type, as in lists of names */
} when;

#define APU(Name)                                                               \
    {                                                                           \
        GPU, WI_MATCH_NAME, Name, "", WEIR_DEVICE_INTEGRATED, Name " is an APU" \
    }
#define PROCESSOR(Name)                                                                 \
    {                                                                                   \
        TYPELESS, WI_MATCH_NAME, Name, "", WEIR_DEVICE_CPU, "the name is a processor's" \
    }

/* The first row that matches decides. `vendor` "" matches every vendor. */
static const struct {
    when when;
    wi_match_field field;
    const char *word;
    const char *vendor;
    weir_device_class device_class;
    const char *why;
} names[] = {
    {ALWAYS, WI_MATCH_ANY, "FPGA Emulation", "", WEIR_DEVICE_EMULATOR,
     "the name says FPGA emulation"},
    {ALWAYS, WI_MATCH_ANY, "FPGA Emulator", "", WEIR_DEVICE_EMULATOR,
     "the name says FPGA emulator"},
    {ALWAYS, WI_MATCH_ANY, "Oclgrind", "", WEIR_DEVICE_EMULATOR, "Oclgrind is a simulator"},
    {ALWAYS, WI_MATCH_NAME, "Simulator", "", WEIR_DEVICE_EMULATOR, "the name says simulator"},
    {ALWAYS, WI_MATCH_NAME, "llvmpipe", "", WEIR_DEVICE_SOFTWARE, "llvmpipe is a GPU in software"},
    {ALWAYS, WI_MATCH_NAME, "softpipe", "", WEIR_DEVICE_SOFTWARE, "softpipe is a GPU in software"},
    {ALWAYS, WI_MATCH_NAME, "SwiftShader", "", WEIR_DEVICE_SOFTWARE,
     "SwiftShader is a GPU in software"},
    /* AMD's APUs: chip names of the drivers of their time, gfx numbers of LLVM's AMDGPU usage page. PALM under Clover
     * denies unified memory. */
    APU("PALM"),
    APU("SUMO"),
    APU("SUMO2"),
    APU("ARUBA"),
    APU("Devastator"),
    APU("Scrapper"),
    APU("HD 7660D"),
    APU("Spectre"),
    APU("Spooky"),
    APU("Kalindi"),
    APU("Mullins"),
    APU("Carrizo"),
    APU("Stoney"),
    APU("Raven"),
    APU("Renoir"),
    APU("Vega 8 Graphics"),
    APU("gfx902"),
    APU("gfx909"),
    APU("gfx90c"),
    APU("gfx1033"),
    APU("gfx1035"),
    APU("gfx1036"),
    APU("gfx1103"),
    APU("gfx1150"),
    APU("gfx1151"),
    /* Processors, by their brands and by what PoCL puts before them. */
    PROCESSOR("CPU @"),
    PROCESSOR("Core(TM)"),
    PROCESSOR("Xeon(R)"),
    PROCESSOR("Ryzen"),
    PROCESSOR("EPYC"),
    PROCESSOR("Processor"),
    {TYPELESS, WI_MATCH_NAME, "pthread", "", WEIR_DEVICE_CPU, "PoCL's name for the processor"},
    {TYPELESS, WI_MATCH_NAME, "CPU", "", WEIR_DEVICE_CPU, "the name says CPU"},
    /* Vendors whose GPUs sit in the processor, with the exceptions first. */
    {UNSTATED, WI_MATCH_NAME, "Arc(TM)", "Intel", WEIR_DEVICE_DISCRETE, "Arc cards are discrete"},
    {UNSTATED, WI_MATCH_NAME, "Graphics", "Intel", WEIR_DEVICE_INTEGRATED, "Intel graphics"},
    {UNSTATED, WI_MATCH_NAME, "Apple", "", WEIR_DEVICE_INTEGRATED,
     "Apple GPUs share the host's memory"},
    {UNSTATED, WI_MATCH_NAME, "Mali", "", WEIR_DEVICE_INTEGRATED,
     "Mali GPUs share the host's memory"},
    {UNSTATED, WI_MATCH_NAME, "Adreno", "", WEIR_DEVICE_INTEGRATED,
     "Adreno GPUs share the host's memory"},
    {UNSTATED, WI_MATCH_NAME, "Adreno(TM)", "", WEIR_DEVICE_INTEGRATED,
     "Adreno GPUs share the host's memory"},
};

/* -1: nothing is said of unified memory. NVIDIA's own property wins over the general one. */
static int unified(const weir_record *record)
{
    uint64_t nv = wi_record_get_number(record, WI_PROPERTY_INTEGRATED_MEMORY_NV, 2);
    uint64_t host = wi_record_get_number(record, WI_PROPERTY_HOST_UNIFIED_MEMORY, 2);

    if (nv == 1 || host == 1) return 1;
    return nv == 0 || host == 0 ? 0 : -1;
}

/* Intel's driver names a GPU by its PCI id in brackets; 0x5690 to 0x56c2 are the Arc cards. */
static int is_arc_id(const weir_record *record)
{
    const char *id = strstr(wi_record_get_text(record, WI_PROPERTY_NAME), "[0x");
    char *end = NULL;
    unsigned long number = 0;

    if (id == NULL) return 0;
    number = strtoul(id + 1, &end, 16);
    return *end == ']' && number >= 0x5690 && number <= 0x56c2;
}

static int is_row(const weir_record *record, size_t i, when limit, int stated)
{
    if (names[i].when != limit && !(limit == GPU && names[i].when == UNSTATED && stated < 0))
        return 0;
    if (names[i].vendor[0] != '\0' && !wi_record_matches(record, WI_MATCH_ANY, names[i].vendor) &&
        !wi_text_contains(wi_record_get_text(record, WI_PROPERTY_NAME), names[i].vendor))
        return 0;
    return wi_record_matches(record, names[i].field, names[i].word);
}

static weir_device_class classify(const weir_record *record, const char **why)
{
    uint64_t type = wi_record_get_number(record, WI_PROPERTY_TYPE, 0);
    int stated = unified(record);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_row(record, i, ALWAYS, stated)) {
            *why = names[i].why;
            return names[i].device_class;
        }
    if (type & (TYPE_ACCELERATOR | TYPE_CUSTOM)) {
        *why = "the driver's type";
        return WEIR_DEVICE_ACCELERATOR;
    }
    if ((type & TYPE_CPU) && !(type & TYPE_GPU)) {
        *why = "the driver's type";
        return WEIR_DEVICE_CPU;
    }
    if (stated == 1) {
        *why = "shares the host's memory";
        return WEIR_DEVICE_INTEGRATED;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0] && type == 0; i++)
        if (is_row(record, i, TYPELESS, stated)) {
            *why = names[i].why;
            return names[i].device_class;
        }
    if (stated < 0 && is_arc_id(record)) {
        *why = "its PCI id is an Arc card's";
        return WEIR_DEVICE_DISCRETE;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_row(record, i, GPU, stated)) {
            *why = names[i].why;
            return names[i].device_class;
        }
    *why = stated == 0 ? "has memory of its own"
                       : "a GPU of which nothing says that it shares the host's memory";
    return WEIR_DEVICE_DISCRETE;
}

weir_device_class wi_record_class(const weir_record *record, const char **why)
{
    const char *reason = "";
    weir_device_class device_class = classify(record, &reason);

    if (why != NULL) *why = reason;
    return device_class;
}

int wi_class_must_be_asked(weir_device_class device_class)
{
    return device_class == WEIR_DEVICE_ACCELERATOR || device_class == WEIR_DEVICE_EMULATOR;
}

const char *wi_record_unusable(const weir_record *record)
{
    static const struct {
        wi_property_id id;
        const char *why;
    } needs[] = {
        {WI_PROPERTY_AVAILABLE, "not available"},
        {WI_PROPERTY_COMPILER_AVAILABLE, "no compiler"},
        {WI_PROPERTY_ENDIAN_LITTLE, "big-endian"},
    };
    const wi_quirk *quirk = NULL;

    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (wi_record_get_number(record, needs[i].id, 1) == 0) return needs[i].why;
    quirk = wi_quirk_find(WI_QUIRK_REJECT, record);
    return quirk != NULL ? quirk->reason : NULL;
}

const char *weir_device_class_name(weir_device_class device_class)
{
    static const char *const lower[] = {
#define WI_CLASS_NAME(NAME, Lower) Lower,
        WEIR_DEVICE_CLASS_LIST(WI_CLASS_NAME)
#undef WI_CLASS_NAME
    };

    if ((unsigned)device_class >= sizeof lower / sizeof lower[0]) return "unknown";
    return lower[device_class];
}
