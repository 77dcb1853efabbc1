/* Looking for ICD files in directories that the test makes. */
#include "device/icd.h"

#include <weir/text.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[128];

static void make_place(void)
{
    snprintf(place, sizeof place, "/tmp/weir-icd-XXXXXX");
    cr_assert_not_null(mkdtemp(place));
    unsetenv("OCL_ICD_FILENAMES");
    unsetenv("OPENCL_VENDOR_PATH");
    setenv("OCL_ICD_VENDORS", place, 1);
}

static void write_file(const char *name, const char *content)
{
    char path[256];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", place, name);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(content, file);
    fclose(file);
}

static void drop_place(void)
{
    static const char *const names[] = {"a.icd", "b.icd", "c.icd", "readme.txt", "libx.so"};
    char path[256];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", place, names[i]);
        unlink(path);
    }
    rmdir(place);
}

TestSuite(icd, .timeout = 120, .init = make_place, .fini = drop_place);

Test(icd, counts_files_and_what_they_lack)
{
    wi_icd_survey survey;
    weir_text *text = NULL;
    char line[256];

    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    snprintf(line, sizeof line, "%s/libx.so  \r\n", place);
    write_file("a.icd", line);
    write_file("libx.so", "");
    write_file("b.icd", "libweir_test_no_such_driver.so\n");
    write_file("c.icd", "\n");
    write_file("readme.txt", "libnothing.so\n");
    wi_icd_look(&survey, text);
    cr_assert_eq(survey.entries, 3U);
    cr_assert_eq(survey.missing, 1U);
    cr_assert_eq(survey.unreadable, 1U);
    cr_assert_eq(survey.place_error, 0);
    cr_assert_str_eq(survey.origin, "OCL_ICD_VENDORS");
    cr_assert_str_eq(survey.place, place);
    cr_assert_not_null(strstr(weir_text_get(text), "libweir_test_no_such_driver.so is not where"));
    /* An empty file is no library: the dynamic linker's own words. */
    cr_assert_eq(survey.failed, 1U);
    cr_assert_eq(survey.strange, 0U);
    cr_assert_not_null(strstr(survey.failure, "libx.so"), "%s", survey.failure);
    cr_assert_not_null(strstr(weir_text_get(text), survey.failure));
    cr_assert_not_null(strstr(weir_text_get(text), "libx.so is there but could not be loaded: "));
    cr_assert_not_null(strstr(weir_text_get(text), "c.icd: names no library"));
    cr_assert_null(strstr(weir_text_get(text), "libnothing"));
    weir_text_destroy(text);
}

Test(icd, tells_a_driver_from_another_library)
{
    wi_icd_survey survey;
    weir_text *text = NULL;

    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    write_file("a.icd", "libm.so.6\n");
    wi_icd_look(&survey, text);
    cr_assert_eq(survey.strange, 1U);
    cr_assert_eq(survey.failed, 0U);
    cr_assert_str_empty(survey.failure);
    cr_assert_not_null(strstr(weir_text_get(text), "libm.so.6 is there and loads, but it is no"));
    weir_text_destroy(text);
}

Test(icd, tells_an_empty_directory_from_none)
{
    wi_icd_survey survey;

    wi_icd_look(&survey, NULL);
    cr_assert_eq(survey.entries, 0U);
    cr_assert_eq(survey.place_error, 0);
    setenv("OCL_ICD_VENDORS", "/no/such/place", 1);
    wi_icd_look(&survey, NULL);
    cr_assert_neq(survey.place_error, 0);
    cr_assert_eq(survey.missing, 1U);
}

Test(icd, reads_a_file_that_the_variable_names)
{
    wi_icd_survey survey;
    char path[256];

    write_file("a.icd", "libweir_test_no_such_driver.so");
    snprintf(path, sizeof path, "%s/a.icd", place);
    setenv("OCL_ICD_VENDORS", path, 1);
    wi_icd_look(&survey, NULL);
    cr_assert_eq(survey.entries, 1U);
    cr_assert_eq(survey.missing, 1U);
    setenv("OPENCL_VENDOR_PATH", place, 1);
    setenv("OCL_ICD_VENDORS", "a.icd", 1);
    wi_icd_look(&survey, NULL);
    cr_assert_eq(survey.entries, 1U);
    cr_assert_eq(survey.missing, 1U);
    cr_assert_eq(survey.place_error, 0);
}

Test(icd, adds_the_libraries_of_ocl_icd_filenames)
{
    wi_icd_survey survey;

    setenv("OCL_ICD_FILENAMES", "libweir_test_one.so:/no/such/libtwo.so", 1);
    wi_icd_look(&survey, NULL);
    cr_assert_eq(survey.entries, 2U);
    cr_assert_eq(survey.missing, 2U);
}

Test(icd, finds_libraries_by_path_and_by_name)
{
    char path[256];

    write_file("libx.so", "");
    snprintf(path, sizeof path, "%s/libx.so", place);
    cr_assert(wi_icd_library_exists(path));
    cr_assert_not(wi_icd_library_exists("libweir_test_no_such_driver.so"));
    cr_assert_not(wi_icd_library_exists("libx.so"));
    setenv("LD_LIBRARY_PATH", place, 1);
    cr_assert(wi_icd_library_exists("libx.so"));
    cr_assert(wi_icd_library_exists("libc.so.6"));
}
