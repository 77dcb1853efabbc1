/* What is said of device nodes that a user may not open, and of variables. */
#include "device/surroundings.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(surroundings, .timeout = 120);

#define STRANGER 54321 /* a number that no user and no group has */

/* What is said of a file of a mode and, for root, of a stranger's group and asked about as a stranger. */
static weir_text *say(mode_t mode, size_t *closed)
{
    char path[] = "/tmp/weir-node-XXXXXX";
    weir_text *text = NULL;
    int handle = mkstemp(path);

    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    cr_assert_geq(handle, 0);
    cr_assert_eq(fchmod(handle, mode), 0);
    if (geteuid() == 0) {
        if (fchown(handle, 0, STRANGER) !=
            0) { /* root of a user namespace that knows no other group */
            (void)unlink(path);
            (void)close(handle);
            weir_text_destroy(text);
            cr_skip_test("no file can be given to another group here");
        }
        cr_assert_eq(setreuid(STRANGER, (uid_t)-1), 0); /* access() asks for the real user */
    }
    *closed = wi_surroundings_node(path, text);
    cr_assert_eq(unlink(path), 0);
    (void)close(handle);
    return text;
}

static void expect(const weir_text *text, const char *part)
{
    cr_assert_not_null(strstr(weir_text_get(text), part), "%s", weir_text_get(text));
}

Test(surroundings, says_nothing_of_an_open_node)
{
    size_t closed = 1;
    weir_text *text = say(0666, &closed);

    cr_assert_eq(closed, 0U);
    cr_assert_str_empty(weir_text_get(text));
    weir_text_destroy(text);
}

Test(surroundings, names_the_group_to_join)
{
    size_t closed = 0;
    weir_text *text = NULL;

    if (geteuid() != 0) cr_skip("only root can give a file to another group");
    text = say(0660, &closed);
    cr_assert_eq(closed, 1U);
    expect(text, "  no permission for /tmp/weir-node-");
    expect(text, "(Permission denied)");
    expect(text, "group 54321, which has no name here; join it, in a container with --group-add");
    weir_text_destroy(text);
}

Test(surroundings, tells_that_no_group_helps)
{
    size_t closed = 0;
    weir_text *text = say(0, &closed);

    cr_assert_eq(closed, 1U);
    expect(text, "which does not help; its mode is 000\n");
    weir_text_destroy(text);
}

Test(surroundings, takes_variables_by_whole_names_and_by_ends)
{
    weir_text *text = NULL;
    weir_text *masks = NULL;

    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    cr_assert_eq(weir_text_create(&masks), WEIR_OK);
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("NVIDIA_VISIBLE_DEVICES");
    cr_assert_eq(wi_surroundings_masks(NULL), 0U);
    setenv("OCL_ICD_ANYTHING", "a", 1);
    setenv("OCL_ICD", "b", 1);
    setenv("HIP_VISIBLE_DEVICES", "", 1);
    setenv("POCL_DEVICES", "cpu", 1);
    setenv("MY_POCL_DEVICES", "cpu", 1);
    setenv("ZE_AFFINITY_MASK", "0", 1);
    wi_surroundings_variables(text);
    expect(text, "environment variables in force:\n");
    expect(text, "  OCL_ICD_ANYTHING=a\n");
    expect(text, "  HIP_VISIBLE_DEVICES=\n");
    expect(text, "  POCL_DEVICES=cpu\n");
    cr_assert_null(strstr(weir_text_get(text), "OCL_ICD=b"));
    cr_assert_null(strstr(weir_text_get(text), "MY_POCL"));
    cr_assert_eq(wi_surroundings_masks(masks), 2U);
    cr_assert_str_eq(weir_text_get(masks), "HIP_VISIBLE_DEVICES, ZE_AFFINITY_MASK");
    weir_text_destroy(masks);
    weir_text_destroy(text);
}
