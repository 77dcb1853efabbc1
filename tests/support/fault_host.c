/* Host memory that is counted and can be made to fail: every block carries its size in a heading.
 *
 * Invariants: live_blocks == 0 implies live_bytes == 0. Counters are atomic; arming is done while nothing allocates.
 */
#include "fault_host.h"

#include <criterion/criterion.h>
#include <weir/host_memory.h>

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

typedef union heading {
    size_t bytes;
    max_align_t align;
} heading;

static _Atomic uint64_t live_bytes;
static _Atomic uint64_t live_blocks;
static _Atomic uint64_t calls;
static uint64_t fail_from; /* 0: never */
static int fail_is_open;
static atomic_int has_struck;
static int is_set;

static int strikes(void)
{
    uint64_t number = atomic_fetch_add(&calls, 1) + 1;
    int yes = fail_from != 0 && (number == fail_from || (fail_is_open && number > fail_from));

    if (yes) atomic_store(&has_struck, 1);
    return yes;
}

static void *take(void *old, size_t bytes)
{
    heading *from = old == NULL ? NULL : (heading *)old - 1;
    size_t old_bytes = from == NULL ? 0 : from->bytes;
    heading *to = NULL;

    if (strikes() || bytes > SIZE_MAX - sizeof *to) return NULL;
    to = realloc(from, sizeof *to + bytes);
    if (to == NULL) return NULL;
    to->bytes = bytes;
    atomic_fetch_add(&live_bytes, bytes - old_bytes);
    if (old == NULL) atomic_fetch_add(&live_blocks, 1);
    return to + 1;
}

static void *allocate(size_t bytes, void *user)
{
    (void)user;
    return take(NULL, bytes);
}

static void *reallocate(void *memory, size_t bytes, void *user)
{
    (void)user;
    return take(memory, bytes);
}

static void release(void *memory, void *user)
{
    heading *from = memory == NULL ? NULL : (heading *)memory - 1;

    (void)user;
    if (from == NULL) return;
    atomic_fetch_sub(&live_bytes, from->bytes);
    atomic_fetch_sub(&live_blocks, 1);
    free(from);
}

void wt_host_count_begin(void)
{
    static const weir_host_allocator counting = {allocate, reallocate, release, NULL};

    if (is_set) return;
    cr_assert_eq(weir_host_memory_set(&counting), WEIR_OK);
    is_set = 1;
}

void wt_host_arm(uint64_t n, int is_open)
{
    atomic_store(&calls, 0);
    atomic_store(&has_struck, 0);
    fail_from = n;
    fail_is_open = is_open;
}

int wt_host_disarm(void)
{
    fail_from = 0;
    return atomic_load(&has_struck);
}

uint64_t wt_host_live_bytes(void) { return atomic_load(&live_bytes); }
uint64_t wt_host_live_blocks(void) { return atomic_load(&live_blocks); }
