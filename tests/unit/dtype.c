/* Element types: every row's name and size, and values outside the list. */
#include <weir/dtype.h>

#include <criterion/criterion.h>

TestSuite(dtype, .timeout = 120);

Test(dtype, names_every_row)
{
    static const struct {
        weir_dtype dtype;
        const char *name;
        size_t bytes;
    } rows[] = {{WEIR_DTYPE_F32, "f32", 4}, {WEIR_DTYPE_F64, "f64", 8},
                {WEIR_DTYPE_F16, "f16", 2}, {WEIR_DTYPE_BF16, "bf16", 2},
                {WEIR_DTYPE_I8, "i8", 1},   {WEIR_DTYPE_U8, "u8", 1},
                {WEIR_DTYPE_I32, "i32", 4}, {WEIR_DTYPE_U32, "u32", 4},
                {WEIR_DTYPE_I64, "i64", 8}, {WEIR_DTYPE_U64, "u64", 8}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        cr_assert_str_eq(weir_dtype_name(rows[i].dtype), rows[i].name);
        cr_assert_eq(weir_dtype_bytes(rows[i].dtype), rows[i].bytes, "%s", rows[i].name);
    }
}

Test(dtype, has_no_row_that_the_test_leaves_out)
{
    int known = 0;

    for (int value = -300; value <= 300; ++value) known += weir_dtype_bytes((weir_dtype)value) != 0;
    cr_assert_eq(known, 10);
}

Test(dtype, answers_for_values_outside_the_list)
{
    static const int outside[] = {0, -1, 11, 255, 1000000};

    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; ++i) {
        cr_assert_str_eq(weir_dtype_name((weir_dtype)outside[i]), "none");
        cr_assert_eq(weir_dtype_bytes((weir_dtype)outside[i]), 0U);
    }
}
