/* The text builder, with memory and without. */
#include <weir/host_memory.h>
#include <weir/text.h>

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(text, .timeout = 120);

Test(text, is_empty_at_first_and_collects_what_is_appended)
{
    weir_text *text = NULL;
    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    cr_assert_str_eq(weir_text_get(text), "");
    weir_text_append(text, "%d blocks", 3);
    weir_text_append_bytes(text, ", ok!", 4);
    cr_assert_str_eq(weir_text_get(text), "3 blocks, ok");
    cr_assert_eq(weir_text_get_bytes(text), strlen("3 blocks, ok"));
    weir_text_reset(text);
    cr_assert_str_eq(weir_text_get(text), "");
    weir_text_destroy(text);
}

Test(text, grows_past_every_capacity)
{
    weir_text *text = NULL;
    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    for (int i = 0; i < 20000; i++) weir_text_append(text, "%d,", i % 10);
    cr_assert_eq(weir_text_get_status(text), WEIR_OK);
    cr_assert_eq(weir_text_get_bytes(text), 40000U);
    for (size_t i = 0; i < 40000; i += 2) {
        cr_assert_eq(weir_text_get(text)[i], (char)('0' + (i / 2) % 10));
    }
    weir_text_destroy(text);
}

Test(text, null_texts_are_ignored)
{
    weir_text_append(NULL, "x");
    weir_text_append_bytes(NULL, "x", 1);
    weir_text_reset(NULL);
    weir_text_destroy(NULL);
    cr_assert_str_eq(weir_text_get(NULL), "");
    cr_assert_eq(weir_text_create(NULL), WEIR_E_ARG);
}

static int allowed;

static void *scarce_allocate(size_t bytes, void *user)
{
    (void)user;
    return allowed-- > 0 ? malloc(bytes) : NULL;
}

static void *scarce_reallocate(void *memory, size_t bytes, void *user)
{
    (void)user;
    return allowed-- > 0 ? realloc(memory, bytes) : NULL;
}

static void scarce_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

Test(text, remembers_that_an_append_found_no_memory)
{
    const weir_host_allocator scarce = {scarce_allocate, scarce_reallocate, scarce_release, NULL};
    weir_text *text = NULL;
    cr_assert_eq(weir_host_memory_set(&scarce), WEIR_OK);
    allowed = 0;
    cr_assert_eq(weir_text_create(&text), WEIR_E_HOST_MEMORY);
    cr_assert_null(text);
    allowed = 2;
    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    weir_text_append(text, "%100d", 1);
    weir_text_append(text, "%100d", 2);
    weir_text_append(text, "after");
    cr_assert_eq(weir_text_get_bytes(text), 100U, "a failed append must add nothing");
    cr_assert_eq(weir_text_get_status(text), WEIR_E_HOST_MEMORY);
    allowed = 10;
    weir_text_reset(text);
    weir_text_append(text, "again");
    cr_assert_eq(weir_text_get_status(text), WEIR_OK);
    cr_assert_str_eq(weir_text_get(text), "again");
    weir_text_destroy(text);
    cr_assert_eq(weir_host_memory_set(NULL), WEIR_OK);
}

Test(host_memory, an_incomplete_allocator_is_refused, .timeout = 120)
{
    const weir_host_allocator incomplete = {scarce_allocate, NULL, scarce_release, NULL};
    cr_assert_eq(weir_host_memory_set(&incomplete), WEIR_E_ARG);
}
