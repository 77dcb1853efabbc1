/* Shapes: every edge of making, reading, counting, comparing and writing them. */
#include <weir/shape.h>

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

TestSuite(shape, .timeout = 120);

/* Nothing but zeros: what a failure leaves. */
static void assert_empty(const weir_shape *shape, const char *what)
{
    cr_assert_eq(shape->rank, 0U, "%s: rank %u", what, shape->rank);
    for (unsigned i = 0; i < WEIR_RANK_MAX; ++i)
        cr_assert_eq(shape->extents[i], 0U, "%s: extent %u is left", what, i);
}

static weir_shape filled(void)
{
    weir_shape shape;
    memset(&shape, 0xa5, sizeof shape);
    return shape;
}

Test(shape, makes_a_scalar_without_extents)
{
    weir_shape shape = filled();

    cr_assert_eq(weir_shape_make(0, NULL, &shape), WEIR_OK);
    cr_assert_eq(shape.rank, 0U);
    cr_assert_eq(weir_shape_count(&shape), 1U);
}

Test(shape, makes_every_rank_up_to_eight)
{
    static const int64_t extents[WEIR_RANK_MAX] = {2, 3, 1, 5, 7, 1, 2, 4};
    static const uint64_t counts[WEIR_RANK_MAX + 1] = {1, 2, 6, 6, 30, 210, 210, 420, 1680};

    for (unsigned rank = 0; rank <= WEIR_RANK_MAX; ++rank) {
        weir_shape shape = filled();
        cr_assert_eq(weir_shape_make(rank, extents, &shape), WEIR_OK);
        cr_assert_eq(shape.rank, rank);
        for (unsigned i = 0; i < rank; ++i) cr_assert_eq(shape.extents[i], (uint64_t)extents[i]);
        cr_assert_eq(weir_shape_count(&shape), counts[rank]);
    }
}

Test(shape, refuses_missing_arguments)
{
    static const int64_t one[] = {1};
    weir_shape shape = filled();

    cr_assert_eq(weir_shape_make(1, one, NULL), WEIR_E_ARG);
    cr_assert_eq(weir_shape_make(1, NULL, &shape), WEIR_E_ARG);
    assert_empty(&shape, "make");
    shape = filled();
    cr_assert_eq(weir_shape_parse(NULL, &shape), WEIR_E_ARG);
    assert_empty(&shape, "parse");
    cr_assert_eq(weir_shape_parse("1", NULL), WEIR_E_ARG);
}

Test(shape, refuses_more_than_eight_dimensions)
{
    static const int64_t ones[WEIR_RANK_MAX + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const unsigned ranks[] = {WEIR_RANK_MAX + 1, 1000, 0xffffffffU};

    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; ++i) {
        weir_shape shape = filled();
        cr_assert_eq(weir_shape_make(ranks[i], ones, &shape), WEIR_E_SHAPE);
        assert_empty(&shape, "rank");
    }
}

Test(shape, refuses_negative_extents_wherever_they_stand)
{
    static const int64_t bad[][3] = {{-1, 2, 3},        {2, -1, 3}, {2, 3, -1},
                                     {INT64_MIN, 1, 1}, {0, -1, 1}, {1, 0, -7}};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        weir_shape shape = filled();
        cr_assert_eq(weir_shape_make(3, bad[i], &shape), WEIR_E_SHAPE);
        assert_empty(&shape, "negative");
    }
}

Test(shape, accepts_the_largest_count_and_refuses_one_above)
{
    /* 2^63 - 1 = 7 * 7 * 73 * 127 * 337 * 92737 * 649657 */
    static const int64_t factors[] = {7, 7, 73, 127, 337, 92737, 649657};
    static const int64_t largest[] = {INT64_MAX};
    static const int64_t above[] = {INT64_C(1) << 32, INT64_C(1) << 31};
    static const int64_t wraps[] = {INT64_C(1) << 32, INT64_C(1) << 32};
    static const int64_t twice[] = {INT64_MAX, 2};
    weir_shape shape = filled();

    cr_assert_eq(weir_shape_make(7, factors, &shape), WEIR_OK);
    cr_assert_eq(weir_shape_count(&shape), (uint64_t)INT64_MAX);
    cr_assert_eq(weir_shape_make(1, largest, &shape), WEIR_OK);
    cr_assert_eq(weir_shape_count(&shape), (uint64_t)INT64_MAX);
    cr_assert_eq(weir_shape_make(2, above, &shape), WEIR_E_SHAPE);
    assert_empty(&shape, "2^63");
    cr_assert_eq(weir_shape_make(2, wraps, &shape), WEIR_E_SHAPE);
    assert_empty(&shape, "2^64");
    cr_assert_eq(weir_shape_make(2, twice, &shape), WEIR_E_SHAPE);
    assert_empty(&shape, "2^64 - 2");
}

Test(shape, counts_no_elements_with_a_zero_extent)
{
    static const int64_t zeros[][3] = {
        {0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {0, 0, 0}, {INT64_MAX, 0, 1}};

    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; ++i) {
        weir_shape shape = filled();
        cr_assert_eq(weir_shape_make(3, zeros[i], &shape), WEIR_OK);
        cr_assert_eq(weir_shape_count(&shape), 0U);
    }
}

Test(shape, leaves_zeros_out_of_the_overflow_rule)
{
    static const int64_t hidden[][3] = {
        {0, INT64_MAX, 2}, {INT64_MAX, 0, INT64_MAX}, {INT64_MAX, 2, 0}};

    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; ++i) {
        weir_shape shape = filled();
        cr_assert_eq(weir_shape_make(3, hidden[i], &shape), WEIR_E_SHAPE);
        assert_empty(&shape, "hidden overflow");
    }
}

Test(shape, reads_what_it_writes)
{
    static const struct {
        const char *text, *written;
    } good[] = {
        {"", "[]"},
        {"0", "[0]"},
        {"1", "[1]"},
        {"1,1024", "[1, 1024]"},
        {"0,0", "[0, 0]"},
        {"1,2,3,4,5,6,7,8", "[1, 2, 3, 4, 5, 6, 7, 8]"},
        {"007", "[7]"},
        {"9223372036854775807", "[9223372036854775807]"},
        {"000000000000000000000000000000000000000000001", "[1]"},
        {"0,9223372036854775807", "[0, 9223372036854775807]"},
    };
    char buffer[192];

    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        weir_shape shape = filled();
        cr_assert_eq(weir_shape_parse(good[i].text, &shape), WEIR_OK, "'%s'", good[i].text);
        cr_assert_str_eq(weir_shape_format(&shape, buffer, sizeof buffer), good[i].written);
    }
}

Test(shape, refuses_texts_that_are_no_shape)
{
    static const char *const bad[] = {
        ",",
        "1,",
        ",1",
        "1,,2",
        "1,2,",
        ",,,",
        " ",
        " 1",
        "1 ",
        "1, 2",
        "\t1",
        "1\n",
        "1\r\n",
        "-1",
        "1,-2",
        "-0",
        "-",
        "+1",
        "1.5",
        "1e3",
        "0x10",
        "a",
        "1024k",
        "1,1024M",
        "1x1024",
        "[1,2]",
        "(1, 2)",
        "1;2",
        "nan",
        "--1",
        "\xff\xfe,1",
        "\xef\xbc\x91",
        "1,2,3,4,5,6,7,8,9",
        "1,2,3,4,5,6,7,8,",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551617",
        "9999999999999999999999999999999999999999999999999999999999999999",
        "4294967296,4294967296",
        "9223372036854775807,2",
        "0,9223372036854775807,2",
        "-9223372036854775808",
        "-99999999999999999999999",
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        weir_shape shape = filled();
        weir_last_error_reset();
        cr_assert_eq(weir_shape_parse(bad[i], &shape), WEIR_E_SHAPE, "'%s'", bad[i]);
        assert_empty(&shape, bad[i]);
        cr_assert_eq(weir_last_error()->status, WEIR_E_SHAPE);
        cr_assert_str_eq(weir_last_error()->where, "weir_shape_parse");
    }
}

Test(shape, names_the_offending_part)
{
    weir_shape shape;

    cr_assert_eq(weir_shape_parse("1,20x,3", &shape), WEIR_E_SHAPE);
    cr_assert_not_null(strstr(weir_last_error()->message, "'20x'"), "%s",
                       weir_last_error()->message);
    cr_assert_eq(weir_shape_parse("4,-7", &shape), WEIR_E_SHAPE);
    cr_assert_not_null(strstr(weir_last_error()->message, "'-7'"), "%s",
                       weir_last_error()->message);
    cr_assert_not_null(strstr(weir_last_error()->message, "negative"), "%s",
                       weir_last_error()->message);
}

Test(shape, survives_a_text_of_a_megabyte)
{
    static char text[1U << 20];
    weir_shape shape = filled();

    memset(text, '7', sizeof text - 1);
    cr_assert_eq(weir_shape_parse(text, &shape), WEIR_E_SHAPE);
    assert_empty(&shape, "digits");
    memset(text, 'x', sizeof text - 1);
    cr_assert_eq(weir_shape_parse(text, &shape), WEIR_E_SHAPE);
    memset(text, ',', sizeof text - 1);
    cr_assert_eq(weir_shape_parse(text, &shape), WEIR_E_SHAPE);
    memset(text, '0', sizeof text - 1);
    cr_assert_eq(weir_shape_parse(text, &shape), WEIR_OK);
    cr_assert_eq(weir_shape_count(&shape), 0U);
}

Test(shape, counts_shapes_filled_by_hand)
{
    const weir_shape fits = {2, {UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1}};
    const weir_shape wraps = {3, {UINT64_C(1) << 32, UINT64_C(1) << 32, 5}};
    const weir_shape zero_after_wrap = {3, {UINT64_C(1) << 32, UINT64_C(1) << 32, 0}};
    const weir_shape rank = {9, {1, 1, 1, 1, 1, 1, 1, 1}};

    cr_assert_eq(weir_shape_count(&fits), UINT64_C(0xffffffff00000000));
    cr_assert_eq(weir_shape_count(&wraps), UINT64_MAX);
    cr_assert_eq(weir_shape_count(&zero_after_wrap), 0U);
    cr_assert_eq(weir_shape_count(&rank), UINT64_MAX);
    cr_assert_eq(weir_shape_count(NULL), 0U);
}

Test(shape, compares_rank_and_the_extents_within_it)
{
    weir_shape a = {2, {3, 4, 99}};
    weir_shape b = {2, {3, 4, 7}};

    cr_assert(weir_shape_equal(&a, &b));
    b.extents[1] = 5;
    cr_assert_not(weir_shape_equal(&a, &b));
    b.extents[1] = 4;
    b.rank = 3;
    cr_assert_not(weir_shape_equal(&a, &b));
    a.rank = b.rank = 0;
    cr_assert(weir_shape_equal(&a, &b));
    cr_assert_not(weir_shape_equal(&a, NULL));
    cr_assert_not(weir_shape_equal(NULL, &b));
}

Test(shape, writes_within_the_buffer)
{
    const weir_shape widest = {8,
                               {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    char whole[192];
    char cut[193];

    weir_shape_format(&widest, whole, sizeof whole);
    cr_assert_eq(strlen(whole), 8U * 20 + 7 * 2 + 2);
    cr_assert_eq(whole[strlen(whole) - 1], ']');
    for (size_t bytes = 1; bytes < sizeof whole; ++bytes) {
        memset(cut, '#', sizeof cut);
        cr_assert_eq(weir_shape_format(&widest, cut, bytes), cut);
        const size_t expected = strlen(whole) < bytes ? strlen(whole) : bytes - 1;
        cr_assert_eq(strlen(cut), expected);
        cr_assert_eq(strncmp(cut, whole, expected), 0);
        cr_assert_eq(cut[bytes], '#');
    }
    cut[0] = '#';
    cr_assert_eq(weir_shape_format(&widest, cut, 0), cut);
    cr_assert_eq(cut[0], '#');
    cr_assert_null(weir_shape_format(&widest, NULL, 0));
}
