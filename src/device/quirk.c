/* The table of quirks.
 *
 * A row is data: which texts of a record it looks for, what it changes, and where it was learned. Kernels and memory
 * code never ask for a driver's name; they see traits to which the rows were applied. No state.
 */
#include "device/quirk.h"

static const wi_quirk quirks[] = {
    {WI_MATCH_NAME, "llvmpipe", "", WI_QUIRK_VECTOR_WIDTH, 1,
     "kernels of float8 do not finish compiling in minutes; one lane an item compiles in seconds",
     "measured with Mesa 22.3.6 (rusticl, LLVM 15)"},
    {WI_MATCH_NAME, "llvmpipe", "", WI_QUIRK_LOOP_TRIPS, 65535,
     "a work-item's loops end after 65535 trips, those of all its loops together, without an error",
     "measured with Mesa 22.3.6; LP_MAX_TGSI_LOOP_ITERATIONS in its source"},
    {WI_MATCH_PLATFORM, "Apple", "CPU", WI_QUIRK_MAX_GROUP, 1,
     "kernels with barriers accept one item a group, whatever the device says",
     "https://github.com/clMathLibraries/clFFT/issues/84"},
};

const wi_quirk *wi_quirk_at(size_t i)
{
    return i < sizeof quirks / sizeof quirks[0] ? &quirks[i] : NULL;
}

int wi_quirk_applies(const wi_quirk *quirk, const weir_record *record)
{
    if (!wi_record_matches(record, quirk->field, quirk->word)) return 0;
    return quirk->also[0] == '\0' || wi_record_matches(record, WI_MATCH_ANY, quirk->also);
}
