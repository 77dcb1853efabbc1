/* Roots as numbers: tokens are counted, never dereferenced. */
#include "fake_roots.h"

#include <criterion/criterion.h>

#include <string.h>

static uint64_t available(void *user)
{
    const fake_roots *roots = user;

    if (roots->limit_bytes == UINT64_MAX) return UINT64_MAX;
    return roots->limit_bytes - roots->held_bytes - roots->pending_bytes;
}

static weir_status acquire(void *user, uint64_t bytes, void **root)
{
    fake_roots *roots = user;
    const uint64_t counted = roots->held_bytes + roots->pending_bytes;
    size_t slot;

    cr_assert_gt(bytes, 0U);
    cr_assert_leq(bytes, roots->max_root_bytes, "a root above the largest was asked for");
    cr_assert_leq(bytes, available(user), "a root above the limit was asked for");
    *root = NULL;
    roots->asked[roots->ask_count++ % FAKE_ROOTS_MAX] = bytes;
    if (roots->fail_at != 0 && --roots->fail_at == 0) return WEIR_E_DRIVER;
    if (roots->refuse_count != 0) {
        roots->refuse_count--;
        return WEIR_E_OUT_OF_MEMORY;
    }
    if (bytes > roots->driver_bytes - counted) return WEIR_E_OUT_OF_MEMORY;
    slot = ++roots->take_count % FAKE_ROOTS_MAX;
    cr_assert_eq(roots->bytes[slot], 0U, "more roots than the fake can hold");
    roots->bytes[slot] = bytes;
    roots->held_bytes += bytes;
    if (roots->held_bytes > roots->peak_bytes) roots->peak_bytes = roots->held_bytes;
    *root = (void *)(uintptr_t)roots->take_count;
    return WEIR_OK;
}

static void release(void *user, void *root, uint64_t bytes)
{
    fake_roots *roots = user;
    uint64_t *held = &roots->bytes[fake_roots_number(root) % FAKE_ROOTS_MAX];

    cr_assert_eq(*held, bytes, "released with another size than it was taken with");
    *held = 0;
    roots->held_bytes -= bytes;
    roots->release_count++;
    if (roots->keeps_released) roots->pending_bytes += bytes;
}

static int drain(void *user)
{
    fake_roots *roots = user;
    const int rises = roots->pending_bytes != 0;

    roots->drain_count += rises != 0;
    roots->pending_bytes = 0;
    return rises;
}

void fake_roots_init(fake_roots *roots)
{
    memset(roots, 0, sizeof *roots);
    roots->limit_bytes = UINT64_MAX;
    roots->driver_bytes = UINT64_MAX;
    roots->max_root_bytes = UINT64_MAX;
}

wi_root_source fake_roots_source(fake_roots *roots)
{
    return (wi_root_source){.user = roots,
                            .acquire = acquire,
                            .release = release,
                            .available = available,
                            .drain = drain};
}

uint64_t fake_roots_number(const void *token) { return (uint64_t)(uintptr_t)token; }
