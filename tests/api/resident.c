/* What a long run leaves on the host and at the driver: nothing that grows. Behaviour M16 and M17. */
#include "devices.h"

#include <weir/weir.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(resident, .timeout = WT_TIMEOUT);

#define MIB (UINT64_C(1) << 20)

/* AddressSanitizer keeps freed memory for a while, so a process under it grows whatever the program does: only the
 * driver's objects are counted there. */
#if defined(__SANITIZE_ADDRESS__)
#define KEEPS_FREED_MEMORY 1
#else
#define KEEPS_FREED_MEMORY 0
#endif

/* Bytes of this process in memory now. */
static uint64_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long total = 0;
    unsigned long long pages = 0;
    int got = 0;

    cr_assert_not_null(file);
    got = fscanf(file, "%llu %llu", &total, &pages); /* NOLINT(cert-err34-c): checked below */
    (void)fclose(file);
    cr_assert_eq(got, 2);
    cr_assert_gt(pages, 0U);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t grown_since(uint64_t before)
{
    const uint64_t now = resident_bytes();

    return now > before ? now - before : 0;
}

/* M16: a variable of 4 MB is given a fresh host array 100 times. */
WEIR_DEVICE_TEST(resident, assigning_host_arrays_keeps_none_of_them)
{
    const uint64_t count = wt_scale(1 << 20);
    const uint64_t bytes = count * sizeof(float);
    const weir_shape shape = {1, {count}};
    weir_variable *variable = NULL;
    weir_tensor *zeros = NULL;
    weir_pool_stats stats;
    uint64_t in_use = 0;
    uint64_t after_ten = 0;

    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &zeros));
    wt_ok(weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &shape, zeros, NULL, &variable));
    weir_tensor_release(zeros);
    for (unsigned i = 0; i < 100; i++) {
        float *array = malloc(bytes);
        weir_tensor *value = NULL;

        cr_assert_not_null(array);
        for (uint64_t k = 0; k < count; k++) array[k] = (float)(i + k % 7);
        wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, array, &value));
        wt_ok(weir_variable_assign(variable, value));
        weir_tensor_release(value);
        free(array);
        wt_ok(weir_context_synchronize(ctx));
        weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
        if (i == 0) in_use = stats.in_use_bytes.current;
        cr_assert_eq(stats.in_use_bytes.current, in_use, "%s: assignment %u", dev->name, i);
        if (i == 9) after_ten = resident_bytes();
    }
    if (bytes >= 4 * MIB) /* scaled down, an array is below what a process moves by itself */
        cr_assert_lt(grown_since(after_ten), bytes, "%s: %llu bytes", dev->name,
                     (unsigned long long)grown_since(after_ten));
    weir_variable_release(variable);
}

/* Objects at the driver that a warm context may hold, whatever it did. */
#define EVENTS_MAX 2048u /* at most 1024 commands run ahead on a queue */
#define KERNELS_MAX 64u
#define BUFFERS_MAX 64u

static void expect_few_objects(const struct wt_device *dev, uint64_t step)
{
    weir_live live;

    weir_live_get(&live);
    cr_assert_leq(live.events, (uint64_t)EVENTS_MAX, "%s: step %llu", dev->name,
                  (unsigned long long)step);
    cr_assert_leq(live.kernels, (uint64_t)KERNELS_MAX, "%s: step %llu", dev->name,
                  (unsigned long long)step);
    cr_assert_leq(live.buffers, (uint64_t)BUFFERS_MAX, "%s: step %llu", dev->name,
                  (unsigned long long)step);
}

/* M17: a million eager operations. */
WEIR_DEVICE_TEST(resident, a_million_operations_leave_nothing_at_the_driver_or_on_the_host)
{
    const uint64_t operations = wt_scale(1000000);
    const uint64_t warm = operations / 10;
    const weir_shape shape = {2, {1, 64}};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *state = NULL;
    weir_tensor *step = NULL;
    uint64_t before = 0;

    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &state));
    wt_ok(weir_random_normal(ctx, &generator, &shape, &step));
    for (uint64_t i = 0; i < warm + operations; i++) {
        weir_tensor *next = NULL;

        if (i % 2 == 0)
            wt_ok(weir_add(ctx, state, step, &next));
        else
            wt_ok(weir_mul(ctx, state, step, &next));
        weir_tensor_release(state);
        state = next;
        if (i % 10000 == 0) expect_few_objects(dev, i);
        if (i + 1 == warm) {
            wt_ok(weir_context_synchronize(ctx));
            before = resident_bytes();
        }
    }
    wt_ok(weir_context_synchronize(ctx));
    expect_few_objects(dev, operations);
    cr_assert(KEEPS_FREED_MEMORY || grown_since(before) < MIB,
              "%s: %llu bytes after %llu operations", dev->name,
              (unsigned long long)grown_since(before), (unsigned long long)operations);
    weir_tensor_release(state);
    weir_tensor_release(step);
}
