/* What people's tools do to a text: quoting, cutting, joining. A damaged text may say less, never something else. */
#include "records_compare.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

TestSuite(records_damage, .timeout = 120);

static const char *const fixtures[] = {"human/g1.txt",    "human/g2.txt", "human/g3.txt",
                                       "amd/two.txt",     "raw/two.txt",  "json/clinfo.txt",
                                       "list/marked.txt", "list/raw.txt"};
#define FIXTURES (sizeof fixtures / sizeof fixtures[0])

/* Whether every device and property of `whole` is in `got` to its end. */
static int has_all(const weir_records *whole, const weir_records *got)
{
    if (weir_records_count(got) < weir_records_count(whole)) return 0;
    for (size_t i = 0; i < weir_records_count(whole); i++) {
        for (size_t p = 0; p < weir_property_count(); p++) {
            weir_property a;
            weir_property b;

            weir_record_get(weir_records_get(whole, i), p, &a);
            weir_record_get(weir_records_get(got, i), p, &b);
            if (a.state != b.state || a.count != b.count || strcmp(a.text, b.text) != 0) return 0;
        }
    }
    return 1;
}

/* A list announces nothing, so what is cut between two lines of it is not missed. */
static int is_noticed(const char *fixture, const char *text, size_t at)
{
    if (strncmp(fixture, "list/", 5) != 0) return 1;
    while (at > 0 && text[at - 1] == ' ') at--;
    return at > 0 && text[at - 1] != '\n' && text[at] != '\n';
}

Test(records_damage, cut_short_anywhere_a_text_says_less_and_nothing_else)
{
    for (size_t i = 0; i < FIXTURES; i++) {
        size_t bytes = 0;
        char *text = text_fixture(fixtures[i], &bytes);
        weir_records *whole = text_read(text, bytes);

        for (size_t at = 1; at < bytes; at++) {
            char *cut = malloc(at);
            weir_records *records = NULL;

            cr_assert_not_null(cut);
            memcpy(cut, text, at);
            if (weir_records_read(cut, at, NULL, &records) == WEIR_OK) {
                text_compare(whole, records, 1, fixtures[i], at);
                if (weir_records_count(records) > 0 && is_noticed(fixtures[i], text, at))
                    cr_assert(text_warns(records, "truncated") ||
                                  text_warns(records, "is left out") || has_all(whole, records),
                              "%s %zu: nothing tells that it is cut", fixtures[i], at);
            } else {
                cr_assert_eq(weir_last_error()->status, WEIR_E_FORMAT, "%s %zu", fixtures[i], at);
            }
            weir_records_destroy(records);
            free(cut);
        }
        weir_records_destroy(whole);
        free(text);
    }
}

Test(records_damage, without_its_first_lines_a_text_has_no_more_devices)
{
    for (size_t i = 0; i < FIXTURES; i++) {
        size_t bytes = 0;
        char *text = text_fixture(fixtures[i], &bytes);
        weir_records *whole = text_read(text, bytes);

        for (size_t at = 1; at < bytes; at++) {
            weir_records *records = NULL;

            if (text[at - 1] != '\n') continue;
            if (weir_records_read(text + at, bytes - at, NULL, &records) == WEIR_OK)
                cr_assert_leq(weir_records_count(records), weir_records_count(whole), "%s %zu",
                              fixtures[i], at);
            weir_records_destroy(records);
        }
        weir_records_destroy(whole);
        free(text);
    }
}

/* Numbers of a damaged text are those of the whole one, or are not there. */
static void compare_numbers(const weir_records *whole, const weir_records *got, int has_flags,
                            const char *what, size_t at)
{
    cr_assert_leq(weir_records_count(got), weir_records_count(whole), "%s %zu", what, at);
    if (weir_records_count(got) < weir_records_count(whole)) return;
    for (size_t i = 0; i < weir_records_count(got); i++) {
        /* In a list the line of a platform is all that tells whose the devices below it are. */
        if (strncmp(what, "list/", 5) != 0)
            cr_assert_str_eq(weir_record_get_index(weir_records_get(got, i)),
                             weir_record_get_index(weir_records_get(whole, i)), "%s %zu", what, at);
        for (size_t p = 0; p < weir_property_count(); p++) {
            weir_property a;
            weir_property b;

            weir_record_get(weir_records_get(whole, i), p, &a);
            weir_record_get(weir_records_get(got, i), p, &b);
            if (b.state == WEIR_PROPERTY_ABSENT || a.kind == WEIR_PROPERTY_TEXT) continue;
            if (a.kind == WEIR_PROPERTY_FLAGS && !has_flags) continue;
            cr_assert(a.state == b.state && a.number == b.number && a.count == b.count,
                      "%s %zu: %s", what, at, a.name);
            cr_assert_arr_eq(a.numbers, b.numbers, sizeof a.numbers, "%s %zu: %s", what, at,
                             a.name);
        }
    }
}

Test(records_damage, a_byte_that_is_no_text_changes_no_number)
{
    for (size_t i = 0; i < FIXTURES; i++) {
        size_t bytes = 0;
        char *text = text_fixture(fixtures[i], &bytes);
        weir_records *whole = text_read(text, bytes);

        for (size_t at = 0; at < bytes; at++) {
            weir_records *records = NULL;
            char kept = text[at];

            if (kept == '\n') continue;
            text[at] = (char)0xff;
            if (weir_records_read(text, bytes, NULL, &records) == WEIR_OK) {
                compare_numbers(whole, records, 1, fixtures[i], at);
                cr_assert(text_warns(records, "1 bytes are not UTF-8"), "%s %zu", fixtures[i], at);
            }
            weir_records_destroy(records);
            text[at] = kept;
        }
        weir_records_destroy(whole);
        free(text);
    }
}

/* A lost bit is not missed: bits not shown are not set. */
Test(records_damage, without_one_line_a_text_says_no_other_number)
{
    for (size_t i = 0; i < FIXTURES; i++) {
        size_t bytes = 0;
        char *text = text_fixture(fixtures[i], &bytes);
        weir_records *whole = text_read(text, bytes);
        char *less = malloc(bytes);
        size_t next = 0;

        cr_assert_not_null(less);
        for (size_t at = 0; at < bytes; at = next) {
            weir_records *records = NULL;

            for (next = at; next < bytes && text[next] != '\n'; next++) {}
            next = next < bytes ? next + 1 : bytes;
            memcpy(less, text, at);
            memcpy(less + at, text + next, bytes - next);
            if (weir_records_read(less, bytes - (next - at), NULL, &records) == WEIR_OK)
                compare_numbers(whole, records, 0, fixtures[i], at);
            weir_records_destroy(records);
        }
        weir_records_destroy(whole);
        free(less);
        free(text);
    }
}

Test(records_damage, lines_that_begin_something_may_be_lost)
{
    static const char heads[] =
        "Number of platforms   2\n  Platform Name   A\n  Platform Vendor   V\n"
        "  Platform Host timer resolution   1ns\n  Platform Vendor   W\n"
        "  Platform Name   A\nNumber of devices   1\n  Device Name   a\n"
        "  Platform Name   B\nNumber of devices   1\n  Device Name   b\n";
    static const char named[] =
        "Number of platforms   2\n  Platform Name   A\n  Platform Vendor   V\n"
        "  Platform Name   B\n  Platform Vendor   W\n"
        "  Platform Name   A\nNumber of devices   1\n  Device Name   a\n"
        "Number of devices   1\n  Device Name   b\n";
    static const char types[] =
        "Number of platforms:\t 1\n  Platform Profile:\t FULL_PROFILE\n"
        "  Platform Name:\t R\n  Platform Name:\t R\nNumber of devices:\t 2\n"
        "  Device Type:\t CL_DEVICE_TYPE_GPU\n  Max compute units:\t 8\n"
        "  Execution capabilities:\n    Execute OpenCL kernels:\t Yes\n"
        "    Execute native function:\t No\n  Max compute units:\t 4\n"
        "  Execution capabilities:\n    Execute OpenCL kernels:\t Yes\n"
        "    Execute native function:\t Yes\n";
    weir_records *r = text_read(heads, sizeof heads - 1);

    cr_assert_eq(weir_records_count(r), 2U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "1.0");
    TEXT_IS(r, 0, "platform.vendor", "V");
    TEXT_IS(r, 1, "platform.vendor", "W");
    STATE_IS(r, 1, "platform.host_timer_resolution", WEIR_PROPERTY_ABSENT);
    weir_records_destroy(r);

    r = text_read(named, sizeof named - 1);
    cr_assert_eq(weir_records_count(r), 2U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "1.0");
    TEXT_IS(r, 1, "platform.name", "B");
    weir_records_destroy(r);

    r = text_read(types, sizeof types - 1);
    cr_assert_eq(weir_records_count(r), 1U);
    STATE_IS(r, 0, "max_compute_units", WEIR_PROPERTY_ABSENT);
    STATE_IS(r, 0, "execution_capabilities", WEIR_PROPERTY_ABSENT);
    cr_expect(text_warns(r, "a second value for execution_capabilities"));
    weir_records_destroy(r);
}

Test(records_damage, noise_around_a_text_and_sixteen_bit_characters_change_nothing)
{
    for (size_t i = 0; i < FIXTURES; i++) {
        size_t bytes = 0;
        char *text = text_fixture(fixtures[i], &bytes);
        weir_records *whole = text_read(text, bytes);
        char *noisy = malloc(bytes + 256);
        char *wide = malloc(bytes * 2 + 2);
        weir_records *records = NULL;
        int used = 0;

        cr_assert_not_null(noisy);
        cr_assert_not_null(wide);
        used = sprintf(noisy,
                       "user@host:~$ clinfo\ndriver_release is 'g6', so_ver 6\n%s\n"
                       "user@host:~$ exit\n\xff\xfe odd \x01 bytes\n",
                       text);
        records = text_read(noisy, (size_t)used);
        text_compare(whole, records, 0, fixtures[i], 0);
        cr_expect(text_warns(records, "driver_release"), "%s", fixtures[i]);
        weir_records_destroy(records);

        wide[0] = (char)0xff;
        wide[1] = (char)0xfe;
        for (size_t k = 0; k < bytes; k++) {
            wide[2 + 2 * k] = text[k];
            wide[3 + 2 * k] = '\0';
        }
        records = text_read(wide, bytes * 2 + 2);
        text_compare(whole, records, 0, fixtures[i], 1);
        weir_records_destroy(records);
        weir_records_destroy(whole);
        free(wide);
        free(noisy);
        free(text);
    }
}

Test(records_damage, the_last_complete_output_is_read)
{
    size_t first_bytes = 0;
    size_t second_bytes = 0;
    char *first = text_fixture("human/g1.txt", &first_bytes);
    char *second = text_fixture("raw/two.txt", &second_bytes);
    char *both = malloc(first_bytes + second_bytes + 1);
    weir_records *r = NULL;

    cr_assert_not_null(both);
    memcpy(both, first, first_bytes);
    memcpy(both + first_bytes, second, second_bytes);
    r = text_read(both, first_bytes + second_bytes);
    cr_expect_eq(weir_records_count(r), 3U);
    cr_expect(text_warns(r, "the text has 2 outputs"));
    weir_records_destroy(r);

    /* The second one breaks off: the first is the last complete one. */
    r = text_read(both, first_bytes + second_bytes / 2);
    cr_assert_eq(weir_records_count(r), 1U);
    TEXT_IS(r, 0, "name", "Old Card 7");
    weir_records_destroy(r);

    /* Its first line is lost. */
    memmove(both, first + 52, first_bytes - 52);
    r = text_read(both, first_bytes - 52);
    cr_assert_eq(weir_records_count(r), 1U);
    TEXT_IS(r, 0, "platform.vendor", "Old Vendor Ltd");
    weir_records_destroy(r);
    free(both);
    free(second);
    free(first);
}

Test(records_damage, the_new_side_of_a_diff_is_read)
{
    static const char text[] = "--- a\n+++ b\n@@ -1,3 +1,3 @@\n"
                               "   Device Name                 A card\n"
                               "-  Driver Version              1.6\n"
                               "+  Driver Version              1.7\n";
    weir_records *r = text_read(text, sizeof text - 1);

    TEXT_IS(r, 0, "driver_version", "1.7");
    cr_expect(text_warns(r, "the text is a diff"));
    weir_records_destroy(r);
}

Test(records_damage, other_texts_are_refused_with_their_first_line)
{
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"", "there is no text"},
        {" \n\t\n", "there is no text"},
        {"\n  hello there\n", "line 2 is not understood: \"hello there\""},
        {"{}", "line 1"},
        {"{ \"a\" : 1 }", "line 1"},
        {"[1, 2]", "line 1"},
        {"Name: x\nVersion: 1.0\nVendor: y\nExtensions: z\n", "line 1"},
        {"[5628] clinfo: CL_PLATFORM_NAME = x\n", "line 1"},
        {"\"CL_DEVICE_P2P_DEVICES_AMD\" : [ 0x56, 0x57 ],\n", "line 1"},
        {"\x7f"
         "ELF\x02\x01\x01",
         "line 1"},
        {"Device Name\n", "line 1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_records *records = (weir_records *)(void *)&records;

        cr_assert_eq(weir_records_read(cases[i].text, strlen(cases[i].text), "it", &records),
                     WEIR_E_FORMAT, "case %zu", i);
        cr_assert_null(records);
        cr_expect_not_null(strstr(weir_last_error()->message, cases[i].part), "case %zu: %s", i,
                           weir_last_error()->message);
        cr_expect_not_null(strstr(weir_last_error()->message, "it"));
    }
}

Test(records_damage, absurd_numbers_of_platforms_and_devices_are_bounded)
{
    size_t room = (size_t)1 << 20;
    char *text = malloc(room);
    size_t used = 0;
    weir_records *r = NULL;

    cr_assert_not_null(text);
    used += (size_t)sprintf(text, "Number of platforms   18446744073709551615\n");
    while (used < room - 64) used += (size_t)sprintf(text + used, "Device Name   d\n");
    r = text_read(text, used);
    cr_expect_eq(weir_records_count(r), 1024U);
    cr_expect(text_warns(r, "only the first 1024 devices are read"));
    weir_records_destroy(r);

    used = (size_t)sprintf(text, "Number of platforms   3\n");
    while (used < room - 64) used += (size_t)sprintf(text + used, "  Platform Name   d\n");
    r = text_read(text, used);
    cr_expect_eq(weir_records_count(r), 0U);
    weir_records_destroy(r);
    free(text);
}

/* Seconds of processor time that reading takes, the least of two. */
static double seconds_of(const char *text, size_t bytes)
{
    double best = 1e9;

    for (int i = 0; i < 2; i++) {
        weir_records *records = NULL;
        clock_t start = clock();
        double seconds = 0;
        weir_status status = weir_records_read(text, bytes, NULL, &records);

        cr_assert(status == WEIR_OK || status == WEIR_E_FORMAT);
        weir_records_destroy(records);
        seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (seconds < best) best = seconds;
    }
    return best;
}

/* 20 ms are the promise for clinfo's output on an idle machine. Here the machine may be loaded, sanitizers take their
 * share, and some of the texts are absurd: hundreds of thousands of lines, each the beginning of an output. What must not
 * happen is a time that grows with the square. With checks built in an eighth of a megabyte does. */
Test(records_damage, a_megabyte_takes_milliseconds)
{
    static const char *const lines[] = {
        "Number of platforms   2\n",
        "Platform #0: x\n",
        "  Max compute units                               16\n",
        "  Max something unknown here                      16\n",
        "no line of any format, just words that go on and on\n",
        "0: x\n",
        "[NV/0]    CL_DEVICE_MAX_COMPUTE_UNITS     4\n",
        "[NV/0]    CL_DEVICE_NAME     4\n",
        "> > > > > > > > \n",
        "{ \"platforms\" : [ { } ]\n",
        "{0.0: {0.0: {0.0: x\n",
        "  Device Type:\t CL_DEVICE_TYPE_GPU\n",
        "error -error -error -error -error -error -\n",
        "\n",
        "a",
        "{",
    };
    size_t room = WEIR_CHECKS > 0 ? (size_t)1 << 17 : (size_t)1 << 20;
    char *text = malloc(room + 128);
    double allowed = WEIR_CHECKS > 0 ? 2.0 : 1.0;

    cr_assert_not_null(text);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        size_t bytes = strlen(lines[i]);
        size_t used = 0;
        double seconds = 0;

        for (; used < room; used += bytes) memcpy(text + used, lines[i], bytes);
        seconds = seconds_of(text, used);
        cr_log_info("%s: %g s\n", lines[i], seconds);
        cr_expect_leq(seconds, allowed, "%g s for lines like %s", seconds, lines[i]);
    }
    for (size_t i = 0; i < FIXTURES; i++) {
        size_t bytes = 0;
        char *one = text_fixture(fixtures[i], &bytes);
        size_t used = 0;
        double seconds = 0;

        for (; used + bytes < room; used += bytes) memcpy(text + used, one, bytes);
        seconds = seconds_of(text, used);
        cr_log_info("%s: %g s\n", fixtures[i], seconds);
        cr_expect_leq(seconds, allowed, "%g s for %s", seconds, fixtures[i]);
        free(one);
    }
    free(text);
}

Test(records_damage, files)
{
    char path[] = "/tmp/weir-records-XXXXXX";
    int file = mkstemp(path);
    weir_records *records = NULL;

    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, "0: A\n0.0: B\n", 12), 12);
    cr_assert_eq(weir_records_read_file(path, &records), WEIR_OK);
    cr_expect_eq(weir_records_count(records), 1U);
    cr_expect_str_eq(weir_records_get_source(records), path);
    weir_records_destroy(records);

    cr_expect_eq(ftruncate(file, (off_t)1 << 30), 0);
    cr_expect_eq(weir_records_read_file(path, &records), WEIR_E_FORMAT);
    cr_expect_null(records);
    close(file);
    unlink(path);
    cr_expect_eq(weir_records_read_file(path, &records), WEIR_E_IO);
    cr_expect_eq(weir_records_read_file("/tmp", &records), WEIR_E_IO);
    cr_expect_eq(weir_records_read_file("/dev/zero", &records), WEIR_E_FORMAT);
    cr_expect_eq(weir_records_read_file("/dev/null", &records), WEIR_E_FORMAT);
    cr_expect_eq(weir_records_read_file(NULL, &records), WEIR_E_ARG);
    cr_expect_eq(weir_records_read(NULL, 3, NULL, &records), WEIR_E_ARG);
    cr_expect_eq(weir_records_read("", 0, NULL, NULL), WEIR_E_ARG);
    cr_expect_eq(weir_records_count(NULL), 0U);
    cr_expect_null(weir_records_get(NULL, 0));
    weir_records_destroy(NULL);
}
