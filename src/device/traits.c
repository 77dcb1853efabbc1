/* Traits: the few numbers that kernels and pools need, computed once a device.
 *
 * Where a record lacks a number, the least that OpenCL 1.2 promises for a full profile stands in (section 4.2 of its
 * specification), so a device is never asked for more than it must have. Preferences come from a row a class, then
 * quirks, then the device's limits cut them. A pure function.
 */
#include "device/traits.h"

#include "device/class.h"
#include "device/quirk.h"

#include <string.h>

/* Floors of the specification. */
#define ALIGN_BITS_MIN 1024U /* a long16 */
#define ALLOC_BYTES_MIN (UINT64_C(128) << 20)

#define PIECE_MS 100U /* of a long loop: displays stay alive, and the cut costs nothing */

/* CPUs: wide items, small groups, since an item is a loop iteration; items as wide as the registers where those have 16
 * lanes. GPUs: a group is at least one wave of any vendor. Measured for CPUs; a start for the others. Rows stand in the
 * order of weir_device_class. */
static const struct {
    uint32_t vector_width;     /* at least */
    uint32_t vector_width_max; /* taken if the device's native width is no less */
    uint32_t group_size;
} preferences[] = {{4, 4, 64}, {4, 4, 64}, {8, 16, 16}, {4, 4, 16}, {4, 4, 16}, {4, 4, 16}};

static uint32_t number32(const weir_record *record, wi_property_id id, uint32_t otherwise)
{
    uint64_t n = wi_record_get_number(record, id, otherwise);
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* The largest power of two that is at most n; 1 for 0. */
static uint32_t floor_power(uint32_t n)
{
    uint32_t power = 1;

    while (power <= n / 2) power *= 2;
    return power;
}

static uint64_t ceil_power(uint64_t n)
{
    uint64_t power = 1;

    while (power < n && power < (UINT64_C(1) << 40)) power *= 2;
    return power;
}

static void make_memory(const weir_record *record, wi_device_traits *out)
{
    uint64_t align_bits =
        wi_record_get_number(record, WI_PROPERTY_MEM_BASE_ADDR_ALIGN, ALIGN_BITS_MIN);

    out->max_alloc_bytes =
        wi_record_get_number(record, WI_PROPERTY_MAX_MEM_ALLOC_SIZE, ALLOC_BYTES_MIN);
    out->global_bytes =
        wi_record_get_number(record, WI_PROPERTY_GLOBAL_MEM_SIZE, out->max_alloc_bytes);
    if (out->global_bytes == 0) out->global_bytes = out->max_alloc_bytes;
    if (out->max_alloc_bytes == 0 || out->max_alloc_bytes > out->global_bytes)
        out->max_alloc_bytes = out->global_bytes;
    out->base_align_bytes = ceil_power(align_bits / 8);
}

static void make_groups(const weir_record *record, wi_device_traits *out)
{
    uint64_t sizes[8];
    unsigned dimensions = wi_record_get_numbers(record, WI_PROPERTY_MAX_WORK_ITEM_SIZES, sizes);

    out->max_group = number32(record, WI_PROPERTY_MAX_WORK_GROUP_SIZE, 1);
    if (dimensions > 0 && sizes[0] < out->max_group) out->max_group = (uint32_t)sizes[0];
    if (out->max_group == 0) out->max_group = 1;
}

static void apply_quirks(const weir_record *record, wi_device_traits *out)
{
    const wi_quirk *quirk = NULL;
    uint32_t *const caps[WI_QUIRK_NOTE + 1] = {[WI_QUIRK_VECTOR_WIDTH] = &out->vector_width,
                                               [WI_QUIRK_MAX_GROUP] = &out->max_group,
                                               [WI_QUIRK_LOOP_TRIPS] = &out->loop_trips_max,
                                               [WI_QUIRK_LAUNCH_BITS] = &out->launch_bits,
                                               [WI_QUIRK_PIECE_MS] = &out->piece_ms};
    uint64_t *const sizes[WI_QUIRK_NOTE + 1] = {[WI_QUIRK_MAX_ALLOC_MIB] = &out->max_alloc_bytes,
                                                [WI_QUIRK_GLOBAL_MIB] = &out->global_bytes};

    for (size_t i = 0; (quirk = wi_quirk_at(i)) != NULL; i++) {
        uint32_t *cap = caps[quirk->effect];
        uint64_t *size = sizes[quirk->effect];

        if (!wi_quirk_applies(quirk, record)) continue;
        if (cap != NULL && *cap > quirk->value) *cap = quirk->value;
        if (size != NULL && *size > (uint64_t)quirk->value << 20)
            *size = (uint64_t)quirk->value << 20;
        if (quirk->effect == WI_QUIRK_ALIGN_BYTES && out->base_align_bytes < quirk->value)
            out->base_align_bytes = quirk->value;
    }
    if (out->max_alloc_bytes > out->global_bytes) out->max_alloc_bytes = out->global_bytes;
}

void wi_traits_make(const weir_record *record, wi_device_traits *out)
{
    weir_device_class device_class = wi_record_class(record, NULL);

    memset(out, 0, sizeof *out);
    make_memory(record, out);
    make_groups(record, out);
    out->compute_units = number32(record, WI_PROPERTY_MAX_COMPUTE_UNITS, 1);
    if (out->compute_units == 0) out->compute_units = 1;
    out->address_bits = number32(record, WI_PROPERTY_ADDRESS_BITS, 32);
    out->is_little_endian = wi_record_get_number(record, WI_PROPERTY_ENDIAN_LITTLE, 1) != 0;
    out->launch_bits = out->address_bits;
    out->piece_ms = PIECE_MS;
    out->loop_trips_max = UINT32_MAX;
    out->vector_width = preferences[device_class].vector_width;
    if (number32(record, WI_PROPERTY_NATIVE_VECTOR_WIDTH_FLOAT, 0) >=
        preferences[device_class].vector_width_max) {
        out->vector_width = preferences[device_class].vector_width_max;
    }
    out->group_size = preferences[device_class].group_size;
    apply_quirks(record, out);
    if (out->group_size > out->max_group) out->group_size = floor_power(out->max_group);
    out->platform_text = "";
    out->driver_version = wi_record_get_text(record, WI_PROPERTY_DRIVER_VERSION);
}
