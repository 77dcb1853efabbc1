/* The table of quirks.
 *
 * A row is data: which texts and numbers of a record it looks for, what it changes, and where it was learned. Kernels and
 * memory code never ask for a driver's name; they see traits to which the rows were applied. docs/devices.md has the
 * same rows. No state.
 */
#include "device/quirk.h"

#include <weir/record.h>

#include <stdio.h>
#include <string.h>

#define ANY_NUMBER WI_PROPERTY_COUNT, 0, 0
/* Types have a bit for the default device. */
#define IS_CPU WI_PROPERTY_TYPE, 2, 3
#define IS_GPU WI_PROPERTY_TYPE, 4, 5
#define MIB ((uint64_t)1 << 20)

static const wi_quirk quirks[] = {
    {"llvmpipe-compile", WI_MATCH_NAME, "llvmpipe", "", ANY_NUMBER, WI_QUIRK_VECTOR_WIDTH, 1,
     "kernels of float8 do not finish compiling in minutes; one lane an item compiles in seconds",
     "measured with Mesa 22.3.6 and LLVM 15; nobody has reported it"},
    {"llvmpipe-loops", WI_MATCH_NAME, "llvmpipe", "", ANY_NUMBER, WI_QUIRK_LOOP_TRIPS, 65535,
     "a work-item's loops end after 65535 trips, those of all its loops together, without an error",
     "https://gitlab.freedesktop.org/mesa/mesa/-/blob/mesa-22.3.6/src/gallium/auxiliary/gallivm/"
     "lp_bld_limits.h"},
    {"apple-cpu-groups", WI_MATCH_PLATFORM, "Apple", "CPU", ANY_NUMBER, WI_QUIRK_MAX_GROUP, 1,
     "kernels with barriers accept one item a group, whatever the device says",
     "https://github.com/clMathLibraries/clFFT/issues/84"},
    {"amd-launch-32", WI_MATCH_PLATFORM, "AMD Accelerated Parallel Processing", "", IS_GPU,
     WI_QUIRK_LAUNCH_BITS, 32, "a global size of 2^32 items or more fails with -63",
     "https://github.com/ROCm/legacy-rocm-build/issues/5524"},
    {"nvidia-watchdog", WI_MATCH_ANY, "", "", WI_PROPERTY_KERNEL_EXEC_TIMEOUT_NV, 1, 1,
     WI_QUIRK_PIECE_MS, 25,
     "the card drives a display: a kernel of seconds is killed, and the failure shows at a later "
     "read",
     "https://github.com/XMPPwocky/nodebeefcl/issues/1"},
    {"intel-4-gib", WI_MATCH_PLATFORM, "Intel(R) OpenCL", "", IS_GPU, WI_QUIRK_MAX_ALLOC_MIB, 4096,
     "without special flags kernels compute nonsense in larger buffers",
     "https://github.com/intel/compute-runtime/issues/627"},
    {"addresses-32", WI_MATCH_ANY, "", "", WI_PROPERTY_ADDRESS_BITS, 1, 32, WI_QUIRK_GLOBAL_MIB,
     4095, "kernels cannot address more with 32 bits, whatever size the driver states",
     "https://github.com/KhronosGroup/OpenCL-Docs/issues/852"},
    {"small-alignment", WI_MATCH_ANY, "", "", WI_PROPERTY_MEM_BASE_ADDR_ALIGN, 1, 1023,
     WI_QUIRK_ALIGN_BYTES, 128,
     "less than the largest type of OpenCL C; what is aligned so fails on other devices",
     "https://github.com/halide/Halide/issues/8235"},
    {"clover-compiler", WI_MATCH_PLATFORM, "Clover", "", ANY_NUMBER, WI_QUIRK_UNSOUND, 0,
     "its compiler often lacks its library, and then no kernel builds",
     "https://github.com/ggml-org/llama.cpp/issues/1368"},
    {"beignet-compiler", WI_MATCH_ANY, "beignet", "", ANY_NUMBER, WI_QUIRK_UNSOUND, 0,
     "its compiler ends the process on kernels that others build; NEO took its place",
     "https://github.com/openwall/john/issues/3749"},
    {"intel-experimental", WI_MATCH_PLATFORM, "Experimental OpenCL 2.1 CPU Only Platform", "",
     ANY_NUMBER, WI_QUIRK_REJECT, 0, "an experiment that brought programs down at their start",
     "https://github.com/intel/compute-runtime/issues/22"},
    {"loader-stub", WI_MATCH_PLATFORM, "ICD_LOADER_TEST_OPENCL_STUB", "", ANY_NUMBER,
     WI_QUIRK_REJECT, 0, "a test driver of the loader, left behind; it crashes when asked",
     "https://github.com/Oblomov/clinfo/issues/64"},
    {"nvidia-lazy-buffers", WI_MATCH_PLATFORM, "NVIDIA CUDA", "", ANY_NUMBER, WI_QUIRK_NOTE, 0,
     "memory is taken at a buffer's first use, so its lack shows at a launch, not at creation",
     "https://github.com/arrayfire/arrayfire/issues/2650"},
    {"pocl-over-commit", WI_MATCH_PLATFORM, "Portable Computing Language", "", IS_CPU,
     WI_QUIRK_NOTE, 0,
     "buffers larger than the free memory can be made; writing them ends the process: set a limit",
     "https://github.com/pocl/pocl/pull/982"},
    {"rusticl-finish", WI_MATCH_PLATFORM, "rusticl", "", ANY_NUMBER, WI_QUIRK_NOTE, 0,
     "clFinish after clFlush may return early (seen with Mesa 22.3.6; known of clvk): weir waits "
     "for events",
     "https://github.com/kpet/clvk/issues/241"},
    {"amd-carve-out", WI_MATCH_VENDOR, "Advanced Micro Devices, Inc.", "",
     WI_PROPERTY_GLOBAL_MEM_SIZE, 1, 1024 * MIB, WI_QUIRK_NOTE, 0,
     "the size may be what the firmware set aside for the graphics (often 256 or 512 MiB), and one "
     "buffer a quarter of it; the firmware's setup changes it",
     "https://github.com/darktable-org/darktable/issues/11401"},
    {"arc-small-memory", WI_MATCH_NAME, "Arc(TM)", "Intel", WI_PROPERTY_GLOBAL_MEM_SIZE, 1,
     1024 * MIB, WI_QUIRK_NOTE, 0,
     "suspicious memory: such a card has gigabytes (no resizable BAR, or an old driver)",
     "https://github.com/intel/intel-extension-for-tensorflow/issues/20"},
    {"oclgrind-threads", WI_MATCH_ANY, "Oclgrind", "", ANY_NUMBER, WI_QUIRK_NOTE, 0,
     "a simulator: slow by design, and not safe to use from several threads",
     "https://github.com/jrprice/Oclgrind/issues/28"},
};

const wi_quirk *wi_quirk_at(size_t i)
{
    return i < sizeof quirks / sizeof quirks[0] ? &quirks[i] : NULL;
}

static int number_applies(const wi_quirk *quirk, const weir_record *record)
{
    uint64_t number = 0;

    if (quirk->property == WI_PROPERTY_COUNT) return 1;
    if (wi_record_get_state(record, quirk->property) != WEIR_PROPERTY_VALUE) return 0;
    number = wi_record_get_number(record, quirk->property, 0);
    return number >= quirk->low && number <= quirk->high;
}

int wi_quirk_applies(const wi_quirk *quirk, const weir_record *record)
{
    return (quirk->word[0] == '\0' || wi_record_matches(record, quirk->field, quirk->word)) &&
           (quirk->also[0] == '\0' || wi_record_matches(record, WI_MATCH_ANY, quirk->also)) &&
           number_applies(quirk, record);
}

char *wi_quirk_effect_text(const wi_quirk *quirk, char *buffer, size_t bytes)
{
    static const struct {
        const char *before;
        const char *after;
    } texts[] = {
        [WI_QUIRK_VECTOR_WIDTH] = {"lanes of an item at most ", ""},
        [WI_QUIRK_MAX_GROUP] = {"items of a work-group at most ", ""},
        [WI_QUIRK_LOOP_TRIPS] = {"trips of a launch at most ", ""},
        [WI_QUIRK_LAUNCH_BITS] = {"launches below 2^", " items"},
        [WI_QUIRK_PIECE_MS] = {"loops in pieces of ", " ms"},
        [WI_QUIRK_MAX_ALLOC_MIB] = {"no buffer above ", " MiB"},
        [WI_QUIRK_GLOBAL_MIB] = {"no more memory than ", " MiB"},
        [WI_QUIRK_ALIGN_BYTES] = {"blocks aligned to ", " bytes at least"},
        [WI_QUIRK_UNSOUND] = {"goes behind the sound devices of its class", ""},
        [WI_QUIRK_REJECT] = {"taken only by index, pci or uuid", ""},
        [WI_QUIRK_NOTE] = {"note", ""},
    };
    char number[16] = "";

    if (quirk->value != 0) (void)snprintf(number, sizeof number, "%u", (unsigned)quirk->value);
    (void)snprintf(buffer, bytes, "%s%s%s", texts[quirk->effect].before, number,
                   texts[quirk->effect].after);
    return buffer;
}

const wi_quirk *wi_quirk_find(wi_quirk_effect effect, const weir_record *record)
{
    const wi_quirk *quirk = NULL;

    for (size_t i = 0; (quirk = wi_quirk_at(i)) != NULL; i++)
        if (quirk->effect == effect && wi_quirk_applies(quirk, record)) return quirk;
    return NULL;
}

int weir_record_get_quirk(const weir_record *record, size_t i, weir_quirk *out)
{
    const wi_quirk *quirk = NULL;

    if (out == NULL) return 0;
    memset(out, 0, sizeof *out);
    out->name = out->reason = out->report = "";
    if (record == NULL) return 0;
    for (size_t k = 0; (quirk = wi_quirk_at(k)) != NULL; k++)
        if (wi_quirk_applies(quirk, record) && i-- == 0) break;
    if (quirk == NULL) return 0;
    out->name = quirk->name;
    out->reason = quirk->reason;
    out->report = quirk->report;
    (void)wi_quirk_effect_text(quirk, out->effect, sizeof out->effect);
    return 1;
}
