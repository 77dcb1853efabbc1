/* Launches of elementwise kernels at any offset and length inside one buffer, through the private launcher: what lies
 * around the result must not change, wherever a vector begins and ends. */
#include "ops/launch.h"

#include "cl/random.h"
#include "ops_support.h"

TestSuite(elementwise, .timeout = WT_TIMEOUT);

#define ROOM 256

static const uint64_t offsets[] = {0, 1, 3, 7, 8, 13, 16, 31};
static const uint64_t lengths[] = {1,  2,  3,  4,  5,  7,  8,  9,   15, 16,
                                   17, 31, 32, 33, 63, 64, 65, 100, 127};

#define OFFSET_COUNT (sizeof offsets / sizeof offsets[0])
#define LENGTH_COUNT (sizeof lengths / sizeof lengths[0])

static float pattern(uint64_t e) { return 1000.0f + (float)e; }

/* A tensor with the pattern. */
static weir_tensor *make_room(weir_context *ctx)
{
    float data[ROOM];

    for (uint64_t e = 0; e < ROOM; e++) data[e] = pattern(e);
    return ops_upload(ctx, data, ROOM);
}

/* The elements of a tensor from `offset` on. */
static wi_operand part_of(weir_tensor *tensor, uint64_t offset)
{
    wi_operand operand = {0};

    wt_ok(wi_tensor_operand(weir_tensor_get_context(tensor), tensor, 0, &operand));
    operand.place.offset_bytes += offset * sizeof(float);
    return operand;
}

/* Asserts the expected elements at [offset, offset + length) and the pattern elsewhere. */
static void check_room(weir_tensor *room, const float *expected, uint64_t offset, uint64_t length)
{
    float got[ROOM];

    ops_download(room, got);
    for (uint64_t e = 0; e < ROOM; e++) {
        const int is_inside = e >= offset && e < offset + length;
        const float wanted = is_inside ? expected[e - offset] : pattern(e);

        cr_assert_eq(ops_bits(got[e]), ops_bits(wanted),
                     "offset %u, length %u: element %u is %a, not %a", (unsigned)offset,
                     (unsigned)length, (unsigned)e, (double)got[e], (double)wanted);
    }
}

static void add_at(weir_context *ctx, uint64_t offset, uint64_t length)
{
    weir_tensor *a = make_room(ctx);
    weir_tensor *room = make_room(ctx);
    const uint64_t other =
        (offset + 5) % 32; /* the inputs begin at other places of a vector than the result */
    wi_operand operands[2] = {part_of(a, other), part_of(a, offset)};
    const wi_operand target = part_of(room, offset);
    const weir_shape shape = {1, {length}};
    float expected[ROOM];

    for (uint64_t e = 0; e < length; e++) expected[e] = pattern(e + other) + pattern(e + offset);
    wt_ok(wi_elementwise_launch(ctx, &wi_op_rows[WI_OP_ADD], operands, NULL, &target, &shape,
                                weir_shape_count(&shape)));
    check_room(room, expected, offset, length);
    weir_tensor_release(room);
    weir_tensor_release(a);
}

WEIR_DEVICE_TEST_TAGGED(elementwise, writes_its_result_and_nothing_around_it)
{
    (void)dev;
    for (size_t o = 0; o < OFFSET_COUNT; o++) {
        for (size_t n = 0; n < LENGTH_COUNT; n++) add_at(ctx, offsets[o], lengths[n]);
    }
}

/* state -= draw, in place. */
static void subtract_draw_at(weir_context *ctx, uint64_t offset, uint64_t length)
{
    weir_tensor *room = make_room(ctx);
    const wi_operand target = part_of(room, offset);
    const weir_shape shape = {1, {length}};
    wi_operand operands[2] = {target, {.draw = {.kind = WI_DRAW_UNIFORM, .seed = 5, .draw = 6}}};
    float expected[ROOM];

    for (uint64_t e = 0; e < length; e++) {
        const wi_quad_f u = wi_uniform4(wi_philox(wi_counter((uint32_t)(e / 4), 0, 6, 0), 5, 0));
        const float drawn[4] = {u.v0, u.v1, u.v2, u.v3};

        expected[e] = pattern(e + offset) - drawn[e % 4];
    }
    wt_ok(wi_elementwise_launch(ctx, &wi_op_rows[WI_OP_SUB], operands, NULL, &target, &shape,
                                weir_shape_count(&shape)));
    check_room(room, expected, offset, length);
    weir_tensor_release(room);
}

WEIR_DEVICE_TEST_TAGGED(elementwise, updates_in_place_by_a_draw_and_nothing_around_it)
{
    (void)dev;
    for (size_t o = 0; o < OFFSET_COUNT; o++) {
        for (size_t n = 0; n < LENGTH_COUNT; n++) subtract_draw_at(ctx, offsets[o], lengths[n]);
    }
}
