/* The table of OpenCL codes. */
#include "cl/cl_status.h"

#include <weir/status.h>

#include <criterion/criterion.h>

#include <string.h>

TestSuite(cl_status, .timeout = 120);

#define LOWEST (-10000)

Test(cl_status, names_every_code_of_the_core)
{
    static const struct {
        int first;
        int last;
    } ranges[] = {{-19, 0}, {-72, -30}};

    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++)
        for (int code = ranges[r].first; code <= ranges[r].last; code++)
            cr_assert_str_neq(wi_cl_status_name(code), "CL_UNKNOWN", "%d", code);
}

Test(cl_status, agrees_with_the_headers)
{
#define EXPECT_NAME(Name) cr_assert_str_eq(wi_cl_status_name(Name), #Name)
    EXPECT_NAME(CL_SUCCESS);
    EXPECT_NAME(CL_DEVICE_NOT_FOUND);
    EXPECT_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    EXPECT_NAME(CL_OUT_OF_RESOURCES);
    EXPECT_NAME(CL_OUT_OF_HOST_MEMORY);
    EXPECT_NAME(CL_BUILD_PROGRAM_FAILURE);
    EXPECT_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    EXPECT_NAME(CL_INVALID_VALUE);
    EXPECT_NAME(CL_INVALID_BINARY);
    EXPECT_NAME(CL_INVALID_KERNEL_NAME);
    EXPECT_NAME(CL_INVALID_KERNEL_ARGS);
    EXPECT_NAME(CL_INVALID_WORK_GROUP_SIZE);
    EXPECT_NAME(CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_NAME(CL_INVALID_BUFFER_SIZE);
    EXPECT_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    EXPECT_NAME(CL_INVALID_DEVICE_PARTITION_COUNT);
#undef EXPECT_NAME
    cr_assert_str_eq(wi_cl_status_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
}

Test(cl_status, has_one_name_and_one_text_a_code)
{
    const char *names[200];
    size_t count = 0;

    for (int code = LOWEST; code <= 0; code++) {
        const char *name = wi_cl_status_name(code);
        if (strcmp(name, "CL_UNKNOWN") == 0) continue;
        cr_assert(strncmp(name, "CL_", 3) == 0 && strlen(wi_cl_status_text(code)) > 5, "%d", code);
        for (size_t i = 0; i < count; i++) cr_assert_str_neq(names[i], name);
        cr_assert_lt(count, sizeof names / sizeof names[0]);
        names[count++] = name;
    }
    cr_assert_gt(count, 80);
}

Test(cl_status, maps_to_what_a_caller_can_act_on)
{
    cr_assert_eq(wi_cl_status_map(CL_SUCCESS), WEIR_OK);
    cr_assert_eq(wi_cl_status_map(CL_MEM_OBJECT_ALLOCATION_FAILURE), WEIR_E_OUT_OF_MEMORY);
    cr_assert_eq(wi_cl_status_map(CL_OUT_OF_HOST_MEMORY), WEIR_E_HOST_MEMORY);
    cr_assert_eq(wi_cl_status_map(CL_BUILD_PROGRAM_FAILURE), WEIR_E_BUILD);
    cr_assert_eq(wi_cl_status_map(CL_INVALID_KERNEL_NAME), WEIR_E_BUILD);
    cr_assert_eq(wi_cl_status_map(-1001), WEIR_E_NO_DEVICE);
    cr_assert_eq(wi_cl_status_map(CL_OUT_OF_RESOURCES), WEIR_E_DRIVER);
    cr_assert_eq(wi_cl_status_map(-4321), WEIR_E_DRIVER);
    cr_assert_eq(wi_cl_status_map(7), WEIR_E_DRIVER);
    for (int code = LOWEST; code < 0; code++) cr_assert_neq(wi_cl_status_map(code), WEIR_OK);
}

Test(cl_status, tells_want_of_memory_from_other_failures)
{
    cr_assert(wi_cl_is_allocation_failure(CL_MEM_OBJECT_ALLOCATION_FAILURE));
    cr_assert(wi_cl_is_allocation_failure(CL_OUT_OF_RESOURCES));
    cr_assert(wi_cl_is_allocation_failure(CL_INVALID_BUFFER_SIZE));
    cr_assert_not(wi_cl_is_allocation_failure(CL_SUCCESS));
    cr_assert_not(wi_cl_is_allocation_failure(CL_INVALID_CONTEXT));
}

Test(cl_status, records_call_code_and_numbers)
{
    weir_status st = wi_cl_fail(CL_INVALID_BUFFER_SIZE, "clCreateBuffer", "%d bytes", 12);
    const weir_error *error = weir_last_error();

    cr_assert_eq(st, WEIR_E_DRIVER);
    cr_assert_eq(error->status, WEIR_E_DRIVER);
    cr_assert_eq(error->cl_status, CL_INVALID_BUFFER_SIZE);
    cr_assert_str_eq(error->where, "clCreateBuffer");
    cr_assert_str_eq(error->message, "clCreateBuffer: CL_INVALID_BUFFER_SIZE (-61): 12 bytes");
}
