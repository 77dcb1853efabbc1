/* How much one launch takes on: arithmetic only. */
#include "ops/launch.h"

#include <criterion/criterion.h>

TestSuite(launch, .timeout = 120);

Test(launch, items_stay_within_what_the_device_can_count)
{
    static const uint32_t address_bits[] = {16, 24, 32, 48, 64};
    static const uint64_t widths[] = {1, 4, 8, 16, 32, 64};

    for (unsigned a = 0; a < 5; a++) {
        for (unsigned w = 0; w < 6; w++) {
            for (uint64_t group = 1; group <= 1024; group *= 2) {
                const uint64_t elements = wi_launch_elements_max(address_bits[a], widths[w], group);
                const uint64_t items = elements / widths[w];

                cr_assert_eq(elements % widths[w], 0, "a launch begins where an item does");
                cr_assert(items > 0);
                cr_assert(address_bits[a] >= 64 || items < UINT64_C(1) << address_bits[a]);
                cr_assert(address_bits[a] >= 64 || items % group == 0);
                cr_assert(address_bits[a] >= 64 || items + group >= UINT64_C(1) << address_bits[a],
                          "and no smaller than needed");
            }
        }
    }
}

/* No buffer that a device of 32 bits addresses needs a second launch. */
Test(launch, one_launch_covers_every_buffer_of_a_32_bit_device)
{
    cr_assert(wi_launch_elements_max(32, 1, 64) >= (UINT64_C(1) << 32) / sizeof(float));
}
