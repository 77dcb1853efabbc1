/* Shapes: checked construction, reading and writing as text.
 *
 * A shape made here satisfies: rank <= WEIR_RANK_MAX, each extent <= INT64_MAX, and the product of the extents other
 * than zero <= INT64_MAX. The last rule keeps strides and the shapes of slices, sums and gradients of an empty tensor
 * computable without further checks. A shape is plain data, so the readers below also answer for one that a caller
 * filled with anything. No state, no lock.
 */
#include <weir/shape.h>

#include "base/checked.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

/* Longest piece of a caller's text that a message repeats. */
#define QUOTE_BYTES 40

/* Appends one extent; the product so far, zeros left out, is *product. */
static weir_status add_extent(weir_shape *shape, uint64_t extent, uint64_t *product,
                              const char *where)
{
    if (shape->rank == WEIR_RANK_MAX)
        return wi_fail(WEIR_E_SHAPE, where, "more than %d dimensions", WEIR_RANK_MAX);
    if (extent != 0 && (!wi_mul_u64(*product, extent, product) || *product > INT64_MAX))
        return wi_fail(WEIR_E_SHAPE, where,
                       "dimension %u of extent %llu makes more than 2^63 - 1 elements", shape->rank,
                       (unsigned long long)extent);
    shape->extents[shape->rank++] = extent;
    return WEIR_OK;
}

weir_status weir_shape_make(unsigned rank, const int64_t *extents, weir_shape *out)
{
    static const char where[] = "weir_shape_make";
    weir_status status = WEIR_OK;
    weir_shape shape = {0};
    uint64_t product = 1;

    if (out == NULL) return wi_fail(WEIR_E_ARG, where, "out is required");
    memset(out, 0, sizeof *out);
    if (rank > WEIR_RANK_MAX)
        return wi_fail(WEIR_E_SHAPE, where, "%u dimensions, at most %d are supported", rank,
                       WEIR_RANK_MAX);
    if (extents == NULL && rank != 0)
        return wi_fail(WEIR_E_ARG, where, "extents are required for rank %u", rank);
    for (unsigned i = 0; i < rank && status == WEIR_OK; ++i) {
        if (extents[i] < 0)
            return wi_fail(WEIR_E_SHAPE, where, "dimension %u has the negative extent %lld", i,
                           (long long)extents[i]);
        status = add_extent(&shape, (uint64_t)extents[i], &product, where);
    }
    if (status == WEIR_OK) *out = shape;
    return status;
}

/* Reads the `bytes` characters at `part`, dimension `dimension`, as an extent of digits only. */
static weir_status read_extent(const char *part, size_t bytes, unsigned dimension, uint64_t *out)
{
    static const char where[] = "weir_shape_parse";
    const int quoted = (int)(bytes < QUOTE_BYTES ? bytes : QUOTE_BYTES);
    uint64_t value = 0;

    if (bytes == 0) return wi_fail(WEIR_E_SHAPE, where, "dimension %u is empty", dimension);
    if (part[0] == '-' && bytes > 1 && part[1] >= '0' && part[1] <= '9')
        return wi_fail(WEIR_E_SHAPE, where, "dimension %u, '%.*s', is negative", dimension, quoted,
                       part);
    for (size_t i = 0; i < bytes; ++i) {
        if (part[i] < '0' || part[i] > '9')
            return wi_fail(WEIR_E_SHAPE, where, "dimension %u, '%.*s', is not a whole number",
                           dimension, quoted, part);
        if (!wi_mul_u64(value, 10, &value) ||
            !wi_add_u64(value, (uint64_t)(part[i] - '0'), &value) || value > INT64_MAX)
            return wi_fail(WEIR_E_SHAPE, where, "dimension %u, '%.*s', is above 2^63 - 1",
                           dimension, quoted, part);
    }
    *out = value;
    return WEIR_OK;
}

weir_status weir_shape_parse(const char *text, weir_shape *out)
{
    static const char where[] = "weir_shape_parse";
    weir_shape shape = {0};
    const char *part = text;
    uint64_t product = 1;

    if (out != NULL) memset(out, 0, sizeof *out);
    if (text == NULL || out == NULL) return wi_fail(WEIR_E_ARG, where, "text and out are required");
    if (*text == '\0') part = NULL;
    while (part != NULL) {
        const size_t bytes = strcspn(part, ",");
        uint64_t extent = 0;
        weir_status status = read_extent(part, bytes, shape.rank, &extent);
        if (status == WEIR_OK) status = add_extent(&shape, extent, &product, where);
        if (status != WEIR_OK) return status;
        part = part[bytes] == ',' ? part + bytes + 1 : NULL;
    }
    *out = shape;
    return WEIR_OK;
}

uint64_t weir_shape_count(const weir_shape *shape)
{
    uint64_t count = 1;
    int fits = 1;

    if (shape == NULL) return 0;
    if (shape->rank > WEIR_RANK_MAX) return UINT64_MAX;
    for (unsigned i = 0; i < shape->rank; ++i) {
        if (shape->extents[i] == 0) return 0;
        fits = fits && wi_mul_u64(count, shape->extents[i], &count);
    }
    return fits ? count : UINT64_MAX;
}

int weir_shape_equal(const weir_shape *a, const weir_shape *b)
{
    if (a == NULL || b == NULL || a->rank != b->rank || a->rank > WEIR_RANK_MAX) return 0;
    for (unsigned i = 0; i < a->rank; ++i) {
        if (a->extents[i] != b->extents[i]) return 0;
    }
    return 1;
}

char *weir_shape_format(const weir_shape *shape, char *buffer, size_t bytes)
{
    char text[192];
    size_t used = 0;
    const unsigned rank = shape == NULL ? 0 : shape->rank;

    if (buffer == NULL || bytes == 0) return buffer;
    text[used++] = '[';
    for (unsigned i = 0; i < rank && i < WEIR_RANK_MAX; ++i) {
        const int n = snprintf(text + used, sizeof text - used, "%s%llu", i == 0 ? "" : ", ",
                               (unsigned long long)shape->extents[i]);
        used += (size_t)n; /* at most 8 times 22 characters: it fits */
    }
    text[used++] = ']';
    if (used > bytes - 1) used = bytes - 1;
    memcpy(buffer, text, used);
    buffer[used] = '\0';
    return buffer;
}
